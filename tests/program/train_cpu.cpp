#ifdef REPEBBLE_HAS_TRAIN_CPU

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// One thread: results depend on how many there are, and waiting for others takes long on a busy machine.
auto train(std::vector<std::string> const& arguments) -> outcome {
    return run_program("OMP_NUM_THREADS=1 " + program_file("train_cpu/train_cpu"), arguments);
}
std::vector<std::string> const tiny{"resnet29", "--batch", "2", "--resolution", "16", "--iterations", "3"};

auto tiny_with(std::vector<std::string> const& more, std::string const& seconds = "3") -> outcome {
    auto all = tiny;
    all.insert(all.end(), {"--time-limit", seconds});
    all.insert(all.end(), more.begin(), more.end());
    return train(all);
}

}  // namespace

TEST_CASE("train_cpu: a plan trains as keep_all does, in the memory that it promised", "[train]") {
    for (std::string const strategy : {"automatic", "sqrt_segments", "lower_set_approximate", "forget_all"}) {
        auto const seconds = strategy == "automatic" ? "3" : "60";  // the others end by themselves
        auto const done =
            tiny_with({"--strategy", strategy, "--budget", "75%", "--compare", "--poison", "--json"}, seconds);
        CAPTURE(strategy, done.err);
        REQUIRE(done.status == 0);
        auto const said = done.answer();
        CHECK(said.at("gradients_equal") == true);
        CHECK(said.at("measured_peak") == said.at("planned_peak"));
        CHECK(said.at("planned_peak") < said.at("keep_all_peak"));
        CHECK((said.at("allocations") == 0 || said.at("allocations").is_null()));  // not counted under sanitizers
        CHECK(said.at("losses").size() == 3);
        CHECK(said.at("recomputations") > 0);
    }
}

TEST_CASE("train_cpu: a plan over a link trains as keep_all does, in the memory of both pools that it promised",
          "[train]") {
    for (auto const* seed : {"1", "2"}) {
        auto const done =
            tiny_with({"--budget", "75%", "--link", "1TB/s", "--delay-seed", seed, "--compare", "--poison", "--json"});
        CAPTURE(done.err);
        REQUIRE(done.status == 0);
        auto const said = done.answer();
        CHECK(said.at("gradients_equal") == true);
        CHECK(said.at("measured_peak") == said.at("planned_peak"));
        CHECK(said.at("measured_host_peak") == said.at("planned_host_peak"));
        CHECK(said.at("bytes_in") <= said.at("bytes_out"));
        CHECK((said.at("allocations") == 0 || said.at("allocations").is_null()));
    }
    CHECK(tiny_with({"--link", "12GB"}).status == 2);
    CHECK(tiny_with({"--link", "0B/s"}).status == 2);
}

TEST_CASE("train_cpu: the arena is what was written, to the byte, and within the budget", "[train]") {
    auto const unet = train({"unet", "--batch", "1", "--resolution", "188", "--budget", "min", "--in-place",
                             "--iterations", "2", "--time-limit", "0.1", "--json"});
    REQUIRE(unet.status == 0);
    CHECK(unet.answer().at("measured_peak") == unet.answer().at("planned_peak"));
    CHECK(unet.answer().at("measured_time").is_null());    // both iterations measured the memory
    std::string const strategy = "lower_set_approximate";  // finds the same at every call
    auto const all = tiny_with({"--strategy", strategy, "--budget", "min", "--json"}).answer();
    auto const budget = all.at("planned_peak").get<long long>() + 1000;
    auto const tight = tiny_with({"--strategy", strategy, "--budget", std::to_string(budget), "--json"});
    REQUIRE(tight.status == 0);
    CHECK(tight.answer().at("planned_peak") <= budget);
}

TEST_CASE("train_cpu: plans by the automatic planner where nothing else is said, and says what it proved", "[train]") {
    auto const done = tiny_with({"--budget", "60%", "--json"});
    CAPTURE(done.err);
    REQUIRE(done.status == 0);
    auto const said = done.answer();
    CHECK(said.at("strategy") == "automatic");
    auto const above = said.at("planned_time").get<long long>() - said.at("keep_all_time").get<long long>();
    CHECK(said.at("lower_bound") <= above);
    CHECK(said.at("time_least") == (said.at("lower_bound") == above));
    CHECK(said.at("gap") >= 0);
    CHECK(said.at("floor") <= said.at("planned_peak"));
    CHECK(said.at("planned_peak").get<double>() <= 0.6 * said.at("keep_all_peak").get<double>());
    auto const rough = tiny_with({"--budget", "60%", "--gap", "1e9", "--plan-seed", "7", "--json"}).answer();
    CHECK(rough.at("planned_time") >= said.at("keep_all_time"));
    CHECK(tiny_with({"--budget", "60%"}).out.find("least\n") != std::string::npos);
    auto const in_place = tiny_with({"--budget", "75%", "--in-place", "--json"}).answer();
    CHECK(in_place.at("lower_bound") <=
          in_place.at("planned_time").get<long long>() -
              in_place.at("keep_all_time").get<long long>());  // the planner counts on them
    CHECK_FALSE(tiny_with({"--strategy", "sqrt_segments", "--json"}).answer().contains("gap"));
    for (auto const* option : {"--time-limit", "--gap", "--plan-seed"}) {
        auto const wrong = tiny_with({option, "-1"});
        CHECK(wrong.status == 2);
        CHECK(wrong.says(option));
    }
}

TEST_CASE("train_cpu: gradients of parameters are results of the plan where they are asked to be", "[train]") {
    auto const beside = tiny_with({"--strategy", "keep_all", "--budget", "100%", "--json"}).answer();
    for (auto const* strategy : {"automatic", "sqrt_segments"}) {
        auto const done = tiny_with(
            {"--strategy", strategy, "--budget", "80%", "--plan-gradients", "--compare", "--poison", "--json"});
        CAPTURE(strategy, done.err);
        REQUIRE(done.status == 0);
        auto const said = done.answer();
        CHECK(said.at("planned_gradients") == true);
        CHECK(said.at("gradients_equal") == true);
        CHECK(said.at("measured_peak") == said.at("planned_peak"));
        CHECK((said.at("allocations") == 0 || said.at("allocations").is_null()));
        CHECK(said.at("losses") == beside.at("losses"));  // steps are the same
        CHECK(said.at("resident") < beside.at("resident"));
    }
}

TEST_CASE("train_cpu: a budget for all memory is kept, by the system", "[train]") {
    auto const done = tiny_with({"--budget", "24MiB", "--all", "--json"});
    CAPTURE(done.err);
    REQUIRE(done.status == 0);
    auto const said = done.answer();
    auto const budget = said.at("budget_of_all").get<long long>();
    CHECK(budget == 24 << 20);
    auto const of_program = said.at("of_program").get<long long>();
    CHECK(said.at("planned_peak").get<long long>() + said.at("resident").get<long long>() + of_program <= budget);
    CHECK(said.at("planned_gradients") == true);
    if (said.contains("system_peak")) CHECK(said.at("system_peak") <= budget);
    auto const small = tiny_with({"--budget", "1MiB", "--all"});
    CHECK(small.status == 3);
    CHECK(small.says("parameters, velocities and inputs alone need"));
}

TEST_CASE("train_cpu: the loss of a network with auxiliary ones is their weighted sum", "[train]") {
    auto const done = train({"googlenet_2015", "--batch", "1", "--resolution", "128", "--strategy", "keep_all",
                             "--budget", "min", "--iterations", "1", "--json"});
    REQUIRE(done.status == 0);
    auto const loss = done.answer().at("losses").at(0).get<double>();
    CHECK(loss > 9);  // about 1.6 times the logarithm of 1000 classes
    CHECK(loss < 14);
}

TEST_CASE("train_cpu: losses do not depend on the plan", "[train]") {
    auto const all = tiny_with({"--strategy", "keep_all", "--budget", "min", "--json"});
    auto const plan = tiny_with({"--strategy", "sqrt_segments", "--in-place", "--json"});
    REQUIRE(all.status == 0);
    CHECK(all.answer().at("losses") == plan.answer().at("losses"));
    CHECK(all.answer().at("losses") != tiny_with({"--budget", "min", "--seed", "2", "--json"}).answer().at("losses"));
}

TEST_CASE("train_cpu: times are measured, written and planned with", "[train]") {
    temporary_folder const folder;
    auto const times = (folder / "times.json").string();
    auto const trace = (folder / "trace.json").string();
    auto const planned_with = [](std::vector<std::string> const& more) {  // without a limit the same at every call
        std::vector<std::string> all{"resnet29",     "--batch", "2",          "--resolution",          "16",
                                     "--iterations", "3",       "--strategy", "lower_set_approximate", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return train(all);
    };
    auto const first = planned_with({"--profile", times, "--trace", trace});
    REQUIRE(first.status == 0);
    auto const table = json::parse(text_of(times)).at("times");
    CHECK(table.contains("stem.conv"));
    CHECK(table.contains("stem.conv backward"));
    auto const again = planned_with({"--times", times});
    CHECK(again.answer().at("planned_time") == first.answer().at("planned_time"));
    auto const events = json::parse(text_of(trace)).at("traceEvents");
    std::size_t recomputations = 0;
    for (auto const& e : events) recomputations += e.value("cat", "") == "recompute" ? 1U : 0U;
    CHECK(recomputations == first.answer().at("recomputations"));
    auto const other = train({"resnet18", "--batch", "1", "--resolution", "32", "--times", times});
    CHECK(other.status == 2);
    CHECK(other.says("has no time of"));
}

#if defined(REPEBBLE_HAS_SWAP)
TEST_CASE("train_cpu: a plan of its trace has the peak and the time that swap judged, and leaves the same gradients",
          "[train][swap]") {
    temporary_folder const folder;
    auto const trace = (folder / "trace.jsonl").string();
    auto const steps = (folder / "steps.json").string();
    auto const times = (folder / "times.json").string();
    auto const network = [](std::vector<std::string> const& more) {
        std::vector<std::string> all{"resnet29", "--batch", "8", "--resolution", "32", "--iterations", "1", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return train(all);
    };
    auto const kept = network({"--strategy", "keep_all", "--budget", "100%", "--profile", times, "--trace", trace});
    REQUIRE(kept.status == 0);
    for (auto const* limit : {"100%", "80%"})
        for (auto const* method : {"automatic", "lru", "memonger"}) {
            CAPTURE(limit, method);
            auto const planned =
                run_program(program_file("swap"), {trace, "--limit", limit, "--link", "1GB/s", "--method", method,
                                                   "--out", steps, "--json", "--time-limit", "1"});
            if (planned.status == 3) continue;  // it does not fit
            REQUIRE(planned.status == 0);
            auto const ran = network({"--schedule", steps, "--times", times, "--link", "1GB/s", "--compare"});
            REQUIRE(ran.status == 0);
            auto const answer = planned.answer();
            auto const& judged = answer.at("methods").at(0);
            CHECK(ran.answer().at("replayed_peak") == judged.at("peak"));
            auto const expected = answer.at("time").get<std::int64_t>() + judged.at("overhead").get<std::int64_t>();
            auto const apart = ran.answer().at("planned_time").get<std::int64_t>() - expected;
            CHECK(std::abs(apart) * 1000 < expected);  // views that are computed again
            if (std::string(method) == "lru") CHECK(apart == 0);
            CHECK(ran.answer().at("measured_peak") == ran.answer().at("planned_peak"));
            CHECK(ran.answer().at("gradients_equal") == true);
            if (std::string(limit) == "100%" && std::string(method) == "lru")
                CHECK(ran.answer().at("planned_peak") == kept.answer().at("planned_peak"));
        }
}
#endif

TEST_CASE("train_cpu: learns images, and tests what it learnt", "[train]") {
    temporary_folder const folder;
    std::string lines;
    for (int i = 0; i < 80; ++i) {  // bright above or below
        for (int pixel = 0; pixel < 64; ++pixel) lines += (pixel < 32) == (i % 2 == 0) ? "15," : "1,";
        lines += std::to_string(i % 2) + "\n";
    }
    auto const data = (folder / "halves.csv").string();
    write(data, lines);
    std::vector<std::string> arguments{
        "resnet29", "--resolution", "8",      "--channels", "1",      "--classes",    "2",
        "--batch",  "16",           "--data", data,         "--json", "--time-limit", "0.1"};
    auto const done = train(arguments);
    CAPTURE(done.err);
    REQUIRE(done.status == 0);
    CHECK(done.answer().at("test_accuracy") == 1.0);
    write(data, lines + "1,2,3\n");
    auto const wrong = train(arguments);
    CHECK(wrong.status == 2);
    CHECK(wrong.says("line 81"));
    write(data, lines + lines.substr(0, lines.find('\n') - 1) + "2\n");
    CHECK(train(arguments).says("there is a label 2"));
}

TEST_CASE("train_cpu: says what a plan would need where none fits, and what is wrong with arguments", "[train]") {
    auto const small = tiny_with({"--budget", "1%"});
    CHECK(small.status == 3);
    CHECK(small.says("none exists"));
    CHECK(tiny_with({"--budget", "1%", "--strategy", "save_set"}).says("needs least needs"));
    CHECK(tiny_with({"--strategy", "best"}).status == 2);
    CHECK(train({"resnet7"}).status == 2);
    CHECK(tiny_with({"--budget", "half"}).status == 2);
    for (auto const* number : {"nan", "inf", "-inf", "1e50"}) CHECK(tiny_with({"--rate", number}).status == 2);
    CHECK(tiny_with({"--decay", "nan"}).says("--decay"));
    CHECK(tiny_with({"--data", "/nowhere.csv"}).says("/nowhere.csv"));
    auto const graph = tiny_with({"--cuda-graph", "on"});  // an option of train_cuda
    CHECK(graph.status == 2);
    CHECK(graph.says("--cuda-graph"));
    auto const halves = tiny_with({"--precision", "bf16"});
    CHECK(halves.status == 2);
    CHECK(halves.says("--precision: bf16 not in {fp32}"));
    CHECK(tiny_with({"--precision", "fp32", "--budget", "min", "--json"}).answer().at("precision") == "fp32");
}

#endif
