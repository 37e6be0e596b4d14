#include <cstddef>
#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// A chain of eight operations of a byte and a time unit each, whose gradients read their inputs, with these marks.
auto chain_with(std::vector<int> const& marks) -> json {
    json chain{{"name", "chain"}, {"nodes", json::array()}, {"edges", json::array()}};
    for (std::size_t v = 0; v < 8; ++v) {
        chain["nodes"].push_back({{"id", v}, {"time", 1}, {"memory", 1}, {"bwd_needs_output", false}});
        if (!marks.empty()) chain["nodes"][v]["mirror"] = marks[v];
        if (v > 0) chain["edges"].push_back({v - 1, v});
    }
    return chain;
}

auto planned(json const& graph, std::vector<std::string> const& options) -> outcome {
    temporary_folder const folder;
    write(folder / "chain.json", graph.dump());
    std::vector<std::string> arguments{(folder / "chain.json").string(), "--budget", "100%", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run(arguments);
}

}  // namespace

TEST_CASE("plan: a file's marks are a plan", "[plan]") {
    auto const plan = planned(chain_with({2, 1, 1, 0, 1, 0, 0, 0}), {"--strategy", "mirror"}).plan();
    CHECK(plan.at("strategy") == "mirror");
    CHECK(plan.at("feasible") == true);
    CHECK(plan.at("peak") == 5);
    CHECK(plan.at("overhead") == 5);
    auto const recursive = planned(chain_with({}), {"--strategy", "segment_recursive"}).plan();
    CHECK(figures(plan) == figures(recursive));
}

TEST_CASE("plan: a file without marks has no plan of them, and a note says so", "[plan]") {
    for (auto const& marks : {std::vector<int>{}, std::vector<int>(8, 0)}) {
        auto const done = planned(chain_with(marks), {"--strategy", "mirror"});
        CHECK(done.status == 3);
        CHECK(done.plan().at("peak").is_null());
        CHECK(done.plan().at("note") == "no node of the graph has a mirror above 0");
    }
}

TEST_CASE("plan: marks that cannot be are refused with the file and the node", "[plan]") {
    auto wrong = chain_with({0, 0, 0, 0, 0, 1, 0, 0});
    wrong.at("nodes").at(5)["recomputable"] = false;
    auto const done = planned(wrong, {});
    CHECK(done.status == 2);
    CHECK(done.says("chain.json: node 5: mirror 1: is not recomputable"));
    auto const many = planned(chain_with(std::vector<int>(8, 2'000'000'000)), {"--strategy", "mirror"});
    CHECK(many.status == 3);
    CHECK(many.plan().contains("note"));
}

TEST_CASE("plan: recursion divides each part at as many cuts as --kept says", "[plan]") {
    auto const recursive = [](char const* kept) {
        return planned(chain_with({}), {"--strategy", "segment_recursive", "--kept", kept}).plan();
    };
    CHECK(recursive("1").at("peak") == 5);  // log2 8 + 2
    CHECK(recursive("1").at("overhead") == 5);
    CHECK(recursive("7").at("overhead") == 1);  // all is kept but the first, which is no cut
    CHECK(recursive("2").at("overhead") < 5);
}

TEST_CASE("plan: segments, cheap operations and recursion on a network", "[plan]") {
    std::vector<std::string> arguments{unet,       "--strategy", "segment_plan,drop_cheap,segment_recursive,keep_all",
                                       "--budget", "70%",        "--json"};
    auto const plans = run(arguments).plans();
    REQUIRE(plans.size() == 4);
    auto const& kept = plans.at(0);
    auto const& segments = plans.at(1);
    auto const& recursive = plans.at(2);
    auto const& cheap = plans.at(3);
    CHECK(kept.at("strategy") == "keep_all");
    CHECK(segments.at("strategy") == "segment_plan");
    CHECK(segments.at("feasible") == true);
    CHECK(segments.at("segments") > 1);
    CHECK(segments.at("overhead") > 0);
    CHECK(recursive.at("strategy") == "segment_recursive");
    CHECK(recursive.at("peak") < kept.at("peak"));
    CHECK(cheap.at("strategy") == "drop_cheap");
    CHECK(cheap.at("peak") < kept.at("peak"));
    CHECK(cheap.at("overhead_percent") < 20);
    auto const least = run({unet, "--strategy", "segment_plan", "--budget", "min", "--json"}).plan();
    CHECK(least.at("peak") < segments.at("peak"));
}
