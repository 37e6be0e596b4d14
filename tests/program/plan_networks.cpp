#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

TEST_CASE("plan: takes a network by name, of any size", "[plan][long]") {
    auto const done = run({"resnet18", "--batch", "2", "--resolution", "64", "--classes", "10", "--strategy",
                           "keep_all,lower_set_approximate", "--json"});
    CHECK(done.status == 0);
    CHECK(done.answer().at("graph").at("name") == "resnet18");
    CHECK(done.answer().at("graph").at("vertices") == 71);
    CHECK(done.plans().at(1).at("strategy") == "lower_set_approximate");
    CHECK(done.plans().at(1).at("feasible") == true);
    auto const larger = run({"resnet18", "--batch", "8", "--resolution", "64", "--strategy", "keep_all", "--json"});
    CHECK(larger.plan().at("peak") > done.plans().front().at("peak"));
}

TEST_CASE("plan: what is written of a network plans as the network", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "lstm.json").string();
    std::vector<std::string> const how{"--strategy", "sqrt_segments", "--json", "--budget", "min"};
    auto const with = [&](std::vector<std::string> first) {
        first.insert(first.end(), how.begin(), how.end());
        return run(first);
    };
    auto const named = with({"lstm", "--batch", "2", "--length", "3", "--write", file});
    REQUIRE(named.status == 0);
    auto const read = with({file});
    CHECK(read.answer().at("graph") == named.answer().at("graph"));
    CHECK(figures(read.plan()) == figures(named.plan()));
    auto const written = json::parse(text_of(file));
    CHECK(written.at("inputs").at(0).at("shape") == json{2, 3});
    CHECK(written.at("device") == "roofline 156 TFLOP/s, 2 TB/s");
}

TEST_CASE("plan: a graph is written packed where its name says so", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "resnet18.json.gz").string();
    CHECK(run({"resnet18", "--batch", "1", "--write", file, "--strategy", "keep_all", "--budget", "100%"}).status == 0);
    CHECK(text_of(file).substr(0, 2) == "\x1f\x8b");
    CHECK(run({file, "--strategy", "keep_all", "--budget", "100%", "--json"}).answer().at("graph").at("vertices") ==
          71);
}

TEST_CASE("plan: a schedule for another batch size is judged, and the difference said", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "schedule.json").string();
    CHECK(run({"resnet18", "--batch", "3", "--resolution", "65", "--schedule", file, "--strategy", "sqrt_segments",
               "--budget", "100%"})
              .status == 0);
    CHECK(run({"resnet18", "--batch", "3", "--resolution", "65", "--replay", file}).err.empty());
    auto const other = run({"resnet18", "--batch", "4", "--resolution", "65", "--replay", file});
    CHECK(other.status == 0);
    CHECK(other.says("schedule.json promises a peak of"));
}

TEST_CASE("plan: times are those of the roofline, or of a table", "[plan]") {
    auto const time = [](std::vector<std::string> const& options) {
        std::vector<std::string> all{"vgg19", "--batch", "1", "--strategy", "keep_all", "--budget", "100%", "--json"};
        all.insert(all.end(), options.begin(), options.end());
        return run(all).plan().at("time").get<double>();
    };
    auto const twice = time({"--flops-per-second", "78e12", "--bytes-per-second", "1e12"}) / time({});
    CHECK((twice > 1.999 && twice < 2.001));

    temporary_folder const folder;
    auto const file = folder / "vgg19.json";
    REQUIRE(
        run({"vgg19", "--batch", "1", "--strategy", "keep_all", "--budget", "100%", "--write", file.string()}).status ==
        0);
    json table{{"format", "repebble-times"}, {"version", 1}, {"times", json::object()}};
    auto const nodes = json::parse(text_of(file)).at("nodes");
    for (auto const& node : nodes) table.at("times")[node.at("name").get<std::string>()] = 1;
    write(folder / "times.json", table.dump());
    CHECK(time({"--times", (folder / "times.json").string()}) == 3.0 * static_cast<double>(nodes.size()));
    table.at("times").erase("classifier");
    write(folder / "times.json", table.dump());
    auto const incomplete = run({"vgg19", "--times", (folder / "times.json").string()});
    CHECK(incomplete.status == 2);
    CHECK(incomplete.says("times.json: the table of times has no operation classifier"));
    table.at("times")["clasifier"] = 1;
    write(folder / "times.json", table.dump());
    CHECK(run({"vgg19", "--times", (folder / "times.json").string()}).says("no operation clasifier in vgg19"));
    table.at("times")["stage1.1.conv"] = INT64_MAX;
    table.at("times").erase("clasifier");
    table.at("times")["classifier"] = INT64_MAX;
    write(folder / "times.json", table.dump());
    auto const huge = run({"vgg19", "--times", (folder / "times.json").string()});
    CHECK((huge.status == 2 && huge.says("times.json: ") && huge.says("overflows")));
    CHECK(run({"vgg19", "--times", "t.json", "--flops-per-second", "1e9"}).says("--flops-per-second"));
}

TEST_CASE("plan: a plan that fits by formula only is said to do so", "[plan][long]") {
    // The loss's backward needs the log-softmax's own output, which formula (2) does not see.
    auto const with = [](char const* judge) {
        return run({"gpt2", "--length", "16", "--batch", "1", "--strategy", "lower_set_approximate", "--judge", judge});
    };
    CHECK(with("formula").out.find("fits by formula, its replay is") != std::string::npos);
    CHECK(with("replay").out.find("fits by formula") == std::string::npos);
}

TEST_CASE("plan: a network that cannot be is refused by one line", "[plan]") {
    auto const refused = [](std::vector<std::string> const& arguments, std::string const& words) {
        auto const done = run(arguments);
        INFO(done.err);
        return done.status == 2 && done.says(words) && std::ranges::count(done.err, '\n') == 1;
    };
    CHECK(refused({"alexnet"}, "no network alexnet; there are resnet18"));
    CHECK(refused({"resnet100"}, "there is no resnet100: depths are"));
    CHECK(refused({"resnet50", "--batch", "0"}, "--batch: 0 is not a whole number from 1"));
    CHECK(refused({"resnet50", "--batch", "99999999999999999999"}, "--batch: 99999999999999999999"));
    CHECK(refused({"resnet50", "--length", "7"}, "the network resnet50 has no length"));
    CHECK(refused({"vgg19", "--resolution", "16"}, "stage5.pool"));
    CHECK(refused({"vgg19", "--flops-per-second", "0"}, "--flops-per-second: 0 is not a number above 0"));
    CHECK(refused({residual, "--batch", "3"}, "--batch is for networks by name"));
    CHECK(refused({"nothing.json"}, "no such file"));
}
