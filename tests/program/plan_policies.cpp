#include <string>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// Six operations in a row: value 1 must be recomputed, value 3 must be kept.
auto marked_file(temporary_folder const& folder, std::string const& more = "") -> std::string {
    json net{{"name", "marked"}, {"nodes", json::array()}, {"edges", json::array()}};
    for (int k = 0; k < 6; ++k) net["nodes"].push_back({{"id", k}, {"time", 1}, {"memory", 8}});
    for (int k = 0; k < 5; ++k) net["edges"].push_back({k, k + 1});
    net["nodes"][1]["must_recompute"] = true;
    net["nodes"][3]["must_keep"] = json::array({0});
    if (!more.empty()) net["nodes"][5][more] = true;
    auto const file = (folder / "marked.json").string();
    write(file, net.dump());
    return file;
}

}  // namespace

TEST_CASE("plan: automatic keeps the policies of the file, though there is memory for all", "[plan]") {
    temporary_folder const folder;
    auto const file = marked_file(folder);
    auto const plan = run({file, "--budget", "100%", "--strategy", "automatic", "--json"}).plan();
    CHECK(plan.at("overhead") == 1);
    CHECK(plan.at("time_least") == true);
    CHECK(run({file, "--budget", "min", "--strategy", "automatic", "--json"}).plan().at("feasible") == true);
    auto const curve = run({file, "--curve", "100%,90%", "--json"}).answer().at("curve");
    for (auto const& point : curve) CHECK(point.at("overhead") >= 1);
}

TEST_CASE("plan: a plan that breaks a policy of the file is refused with its step and vertex", "[plan]") {
    temporary_folder const folder;
    auto const rows = run({marked_file(folder), "--budget", "100%", "--strategy", "keep_all,forget_all", "--json"});
    CHECK(rows.status == 3);
    auto const plans = rows.plans();
    for (auto const& row : plans) CHECK((row.at("feasible") == false && row.at("peak").is_null()));
    CHECK(plans.at(0).at("note") ==
          "does not keep the graph's policies: step 6: vertex 1 must be recomputed, and is kept for the backward pass");
    // On a curve it may keep them within another budget.
    auto const curve = run({marked_file(folder), "--curve", "100%,90%,70%", "--strategy", "save_set", "--json"});
    REQUIRE(curve.plans().size() == 3);
    CHECK(curve.plans().at(0).at("note").get<std::string>().find("policies") != std::string::npos);
    CHECK(curve.plans().at(2).at("budget").is_number());
    CHECK(plans.at(1).at("note").get<std::string>().find("vertex 3 must be kept, and is computed again") !=
          std::string::npos);
}

TEST_CASE("plan --replay: a schedule that breaks a policy of the file is refused", "[plan]") {
    temporary_folder const folder;
    auto const file = marked_file(folder), schedule = (folder / "schedule.json").string();
    REQUIRE(run({file, "--budget", "100%", "--strategy", "automatic", "--schedule", schedule}).status == 0);
    CHECK(run({file, "--replay", schedule}).status == 0);
    auto text = text_of(file);
    for (std::string const word : {"must_recompute", "must_keep"}) text.replace(text.find(word), word.size(), "mark");
    write(folder / "plain.json", text);
    REQUIRE(
        run({(folder / "plain.json").string(), "--strategy", "keep_all", "--budget", "100%", "--schedule", schedule})
            .status == 0);
    auto const refused = run({file, "--replay", schedule});
    CHECK(refused.status == 2);
    for (auto const* word : {"schedule.json", "step 6", "vertex 1 must be recomputed"}) CHECK(refused.says(word));
}

TEST_CASE("plan --inference: what must be recomputed for gradients is free", "[plan]") {
    temporary_folder const folder;
    auto const all = run({marked_file(folder, "result"), "--inference", "--budget", "100%", "--json"});
    CHECK(all.status == 0);
    for (auto const& plan : all.plans()) CHECK(plan.at("overhead") == 0);
}

TEST_CASE("plan: marks that contradict each other are refused with the node and the field", "[plan]") {
    temporary_folder const folder;
    auto const file = marked_file(folder);
    auto text = text_of(file);
    text.replace(text.find(R"("must_recompute":true)"), 21, R"("must_recompute":true,"must_keep":true)");
    write(file, text);
    auto const refused = run({file});
    CHECK(refused.status == 2);
    CHECK(refused.says("marked.json: node 1: must_recompute: output 0 is said of must_keep, too"));
}
