// The program plan: --largest.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

TEST_CASE("plan --largest batch: keeping everything, within an overhead, and any plan, each with what is proven",
          "[plan]") {
    auto const found =
        run({"resnet18", "--largest", "batch", "--budget", "100MiB", "--most-overhead", "0.05", "--json"});
    REQUIRE(found.status == 0);
    auto const all = found.answer();
    CHECK(all.at("budget") == 100 << 20);
    auto const& rows = all.at("rows");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("plans") == "keep_all");
    CHECK(rows[0].at("overhead") == 0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        CHECK(rows[k].at("peak") <= 100 << 20);
        if (k > 0) CHECK(rows[k].at("largest") >= rows[k - 1].at("largest"));
        if (k > 0) CHECK(rows[k].at("impossible") > rows[k].at("largest"));
    }
    CHECK(rows[1].at("overhead").get<double>() <=
          0.05 * (rows[1].at("time").get<double>() - rows[1].at("overhead").get<double>()));
    // What it says is what a plan of that batch says.
    auto const batch = std::to_string(rows[2].at("largest").get<std::int64_t>());
    CHECK(run({"resnet18", "--batch", batch, "--budget", "100MiB", "--strategy", "automatic"}).status == 0);
    auto const table = run({"resnet18", "--largest", "batch", "--budget", "100MiB"});
    CHECK(table.status == 0);
    for (auto const* word : {"resnet18: the largest batch within 100 MiB", "keep_all", "any", "the largest"})
        CHECK(table.out.find(word) != std::string::npos);
}

TEST_CASE("plan --largest --include: parameters, their gradients, states and inputs are in the budget", "[plan]") {
    auto const largest = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"resnet18", "--largest", "batch", "--budget", "400MiB", "--time-limit", "2"});
        more.emplace_back("--json");
        return run(more).answer().at("rows");
    };
    std::int64_t const trained = 4 * 11'689'512, statistics = 4 * 2 * 4800, image = 4 * 3 * 224 * 224 + 8;
    auto const momentum = largest({"--include", "inputs,parameters,gradients,optimizer", "--optimizer-states", "1"});
    for (auto const& row : momentum) {
        auto const batch = row.at("largest").get<std::int64_t>();
        auto const beside = row.at("beside").get<std::int64_t>();
        CHECK(beside == 3 * trained + statistics + batch * image);
        CHECK(row.at("peak").get<std::int64_t>() + beside <= 400 << 20);
    }
    auto const adam = run({"resnet18", "--largest", "batch", "--budget", "400MiB", "--time-limit", "2", "--include",
                           "optimizer", "--json"})
                          .answer();
    CHECK(adam.at("include") == nlohmann::json{"optimizer"});
    CHECK(adam.at("rows").back().at("beside") == 2 * trained);
    CHECK(largest({}).front().at("largest") > momentum.front().at("largest"));
    auto const table =
        run({"resnet18", "--largest", "batch", "--budget", "134MiB", "--include", "parameters,optimizer"});
    CHECK(table.status == 3);
    auto const some =
        run({"resnet18", "--largest", "batch", "--budget", "200MiB", "--include", "parameters,optimizer"});
    for (auto const* word : {"within 200 MiB, for optimizer, parameters, too", "beside them", "134 MiB"})
        CHECK(some.out.find(word) != std::string::npos);
}

TEST_CASE("plan --largest: with little time there are plans all the same", "[plan]") {
    auto const brief = run({"resnet18", "--largest", "batch", "--budget", "100MiB", "--time-limit", "0.001", "--json"});
    CHECK(brief.status == 0);
    CHECK(brief.answer().at("rows").back().at("peak") <= 100 << 20);
}

TEST_CASE("plan --largest: where nothing fits the status is 3, and what is wrong is said", "[plan]") {
    auto const none = run({"resnet18", "--largest", "batch", "--budget", "1KiB", "--json"});
    CHECK(none.status == 3);
    CHECK(none.answer().at("rows").back().at("impossible") == 1);
    auto const refused = [](std::vector<std::string> const& arguments, std::string const& what) {
        auto const r = run(arguments);
        return r.status == 2 && r.says(what);
    };
    CHECK(refused({"resnet18", "--largest", "batch"}, "--budget"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "60%"}, "in bytes"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "min"}, "in bytes"));
    CHECK(refused({"resnet18", "--largest", "length", "--budget", "1GiB"}, "length"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--arena"}, "--arena"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--batch", "7"}, "--batch"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--explain"}, "--explain"));
    CHECK(refused({"resnet18", "--most-overhead", "0.1"}, "--largest"));
    CHECK(refused({"resnet18", "--include", "parameters"}, "--largest"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--include", "parameters,"}, "none of"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--include", "weights"}, "weights"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--optimizer-states", "1"}, "--include"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--most-overhead", "-1"}, "--most-overhead"));
    CHECK(refused({"resnet18", "--largest", "batch", "--budget", "1GiB", "--most-overhead", "nan"}, "--most-overhead"));
}
