#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// The schedule of keep_all for the residual network, as JSON, with the number of its step that is [action, vertex,
/// pass, …].
struct schedule_file {
    json whole;

    [[nodiscard]] auto step(std::string const& action, int vertex, std::string const& pass) const -> std::size_t {
        auto const& steps = whole.at("steps");
        for (std::size_t i = 0; i < steps.size(); ++i)
            if (steps[i][0] == action && steps[i][1] == vertex && steps[i][2] == pass) return i;
        FAIL("the schedule has no step " << action << " " << vertex << " " << pass);
        return 0;
    }
    void erase(std::size_t i) { whole.at("steps").erase(i); }
    void move(std::size_t from, std::size_t to) {
        auto const s = whole.at("steps").at(from);
        erase(from);
        whole.at("steps").insert(whole.at("steps").begin() + static_cast<std::ptrdiff_t>(to), s);
    }
};
auto kept_schedule() -> schedule_file {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    REQUIRE(run({residual, "--budget", "100%", "--strategy", "keep_all", "--schedule", file}).status == 0);
    return {json::parse(text_of(file))};
}
auto judged(schedule_file const& schedule) -> outcome {
    temporary_folder const folder;
    write(folder / "plan.json", schedule.whole.dump());
    return run({residual, "--replay", (folder / "plan.json").string(), "--json"});
}

}  // namespace

TEST_CASE("plan: a schedule that was written replays to the same figures", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    for (auto const* convention : conventions)
        for (auto const* strategy : strategies) {
            INFO(convention << ", " << strategy);
            auto const planned = run({residual, "--budget", "1000%", "--convention", convention, "--strategy", strategy,
                                      "--schedule", file, "--json"});
            REQUIRE(planned.status == 0);
            auto const replayed = run({residual, "--replay", file, "--json"});
            CHECK(replayed.status == 0);
            CHECK(figures(replayed.plan()) == figures(planned.plan()));
            CHECK(replayed.answer().at("convention") == convention);
            CHECK(replayed.answer().at("budget").is_null());
            CHECK(replayed.plan().at("strategy") == strategy);
            auto const document = json::parse(text_of(file));
            CHECK(document.at("graph") == "residual");
            CHECK(document.at("convention") == convention);
            CHECK(document.at("strategy") == strategy);
        }
}

TEST_CASE("plan: so it does for a network that needs recomputations, within the same budget", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    auto const planned = run({unet, "--strategy", "lower_set_approximate", "--schedule", file, "--json"});
    REQUIRE(planned.status == 0);
    CHECK(planned.plan().at("overhead") > 0);
    auto const budget = planned.answer().at("budget").dump();
    CHECK(run({unet, "--replay", file, "--budget", budget}).status == 0);
    CHECK(run({unet, "--replay", file, "--budget", "1"}).status == 3);
}

TEST_CASE("plan: of all strategies the fastest plan that fits is written", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    auto const done = run({residual, "--budget", "95%", "--schedule", file, "--json"});
    REQUIRE(done.status == 0);
    auto best = json(nullptr);
    for (auto const& plan : done.plans())
        if (plan.at("feasible") == true && (best.is_null() || plan.at("time") < best.at("time"))) best = plan;
    CHECK(run({residual, "--replay", file, "--json"}).plan().at("time") == best.at("time"));
    std::filesystem::remove(file);
    CHECK(run({residual, "--budget", "1", "--schedule", file}).status == 3);
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("plan: a schedule that was tampered with is refused, and the step is named", "[plan]") {
    CHECK(judged(kept_schedule()).status == 0);

    auto lost = kept_schedule();  // a computation
    auto const at = lost.step("compute", 3, "forward");
    lost.erase(at);
    CHECK(judged(lost).status == 2);
    CHECK(judged(lost).says("step " + std::to_string(at)));

    auto early = kept_schedule();  // a value goes before its last reader
    early.move(early.step("discard", 8, "forward"), early.step("compute", 9, "forward"));
    auto const reader = early.step("compute", 9, "forward");
    CHECK(judged(early).status == 2);
    CHECK(judged(early).says("step " + std::to_string(reader) + ", vertex 9: reads vertex 8"));

    auto renamed = kept_schedule();
    auto const named = renamed.step("compute", 6, "forward");
    renamed.whole["steps"][named][1] = 7;
    CHECK(judged(renamed).status == 2);
    CHECK(judged(renamed).says("step " + std::to_string(named) + ", vertex 7"));

    auto twice = kept_schedule();
    auto const again = twice.step("compute", 4, "forward");
    twice.whole["steps"].insert(twice.whole["steps"].begin() + static_cast<std::ptrdiff_t>(again) + 1,
                                json{"compute", 4, "forward", 1});
    CHECK(judged(twice).status == 2);
    CHECK(judged(twice).says("step " + std::to_string(again + 1)));
    CHECK(judged(twice).says("not recomputable"));

    auto gone = kept_schedule();  // a value goes twice
    auto const discard = gone.step("discard", 8, "forward");
    gone.whole["steps"].insert(gone.whole["steps"].begin() + static_cast<std::ptrdiff_t>(discard),
                               gone.whole["steps"][discard]);
    CHECK(judged(gone).status == 2);
    CHECK(judged(gone).says("step " + std::to_string(discard + 1)));

    auto short_one = kept_schedule();
    auto const steps = short_one.whole["steps"].size();
    auto const last = short_one.step("compute", 0, "backward");
    while (short_one.whole["steps"].size() > last) short_one.erase(last);
    CHECK(judged(short_one).status == 2);
    CHECK(judged(short_one).says("never runs"));
    CHECK(last < steps);
}

TEST_CASE("plan: a value that is never discarded is legal, and the peak is no less", "[plan]") {
    auto const before = judged(kept_schedule()).plan();
    auto hoarded = kept_schedule();
    hoarded.erase(hoarded.step("discard", 10, "backward"));
    auto const done = judged(hoarded);
    CHECK(done.status == 0);
    CHECK(done.plan().at("peak") >= before.at("peak"));
    CHECK(done.plan().at("time") == before.at("time"));
}

TEST_CASE("plan: a refused schedule names its file, and the vertex as the graph does", "[plan]") {
    auto incomplete = kept_schedule();
    incomplete.whole["steps"] = json::array();
    auto const refused = judged(incomplete);
    CHECK(refused.status == 2);
    CHECK(refused.says(".json"));
    CHECK(refused.says("backward pass of vertex"));

    auto strange = kept_schedule();
    strange.whole["convention"] = "sideways";
    CHECK(judged(strange).status == 2);
    CHECK(judged(strange).says("unknown convention sideways"));
}

TEST_CASE("plan: a schedule of a graph with another name is judged, and that is said", "[plan]") {
    auto schedule = kept_schedule();
    CHECK(judged(schedule).err.empty());
    schedule.whole["graph"] = "another";
    auto const done = judged(schedule);
    CHECK(done.status == 0);
    CHECK(done.says("plan.json is a schedule of the graph another, and is judged on residual"));
}

TEST_CASE("plan: a vertex that the graph does not have is named with file and step", "[plan]") {
    auto schedule = kept_schedule();
    schedule.whole.at("steps").at(3).at(1) = 77;
    auto const done = judged(schedule);
    CHECK(done.status == 2);
    CHECK(done.says("plan.json: step 3: vertex 77 of the forward pass"));
}

TEST_CASE("plan: a schedule of another convention does not pass", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    REQUIRE(run({residual, "--budget", "1000%", "--convention", "executable", "--schedule", file}).status == 0);
    CHECK(run({residual, "--replay", file}).status == 0);
    CHECK(run({residual, "--replay", file, "--convention", "executable"}).status == 0);
    CHECK(run({residual, "--replay", file, "--convention", "op_backward"}).status == 2);
    CHECK(run({unet, "--replay", file}).status == 2);
}

TEST_CASE("plan: a schedule from elsewhere stands beside what is planned, and decides nothing", "[plan]") {
    temporary_folder const folder;
    auto const own = (folder / "own.schedule.json").string(), out = (folder / "out.json").string();
    auto const kept = run({residual, "--budget", "100%", "--strategy", "keep_all", "--schedule", own, "--json"}).plan();
    std::vector<std::string> const beside{residual, "--strategy", "automatic", "--compare", own, "--json"};
    auto const with = [&](std::vector<std::string> const& more) {
        auto all = beside;
        all.insert(all.end(), more.begin(), more.end());
        return run(all);
    };
    auto const done = with({"--budget", "90%", "--schedule", out});
    CHECK(done.status == 0);
    REQUIRE(done.plans().size() == 2);
    auto const row = done.plans().at(1);
    CHECK(row.at("strategy") == "own.schedule.json");
    CHECK(row.at("feasible") == false);
    CHECK(figures(row) == figures(kept));
    CHECK(json::parse(text_of(out)).at("strategy") == "automatic");
    CHECK(with({"--budget", "1"}).status == 3);
    CHECK(run({residual, "--strategy", "keep_all", "--budget", "90%", "--compare", out}).status == 3);  // it fits there

    auto const picture = (folder / "curve.svg").string();
    auto const curve = with({"--curve", "3", "--curve-svg", picture});
    CHECK(curve.status == 0);
    REQUIRE(curve.plans().size() == 1);
    CHECK(curve.plans().at(0).at("budget").is_null());
    CHECK(curve.plans().at(0).at("peak") == kept.at("peak"));
    CHECK(text_of(picture).find("own.schedule.json") != std::string::npos);

    CHECK(with({"--convention", "op_backward"}).says("own.schedule.json: its convention is value_grad"));
    auto const two = run({residual, "--replay", out, "--compare", own, "--json"});
    CHECK((two.status == 0 && two.plans().size() == 2));
    auto broken = json::parse(text_of(own));
    broken.at("steps").erase(0);
    write(own, broken.dump());
    auto const refused = with({});
    CHECK((refused.status == 2 && refused.out.empty() && refused.says("own.schedule.json") && refused.says("step")));
}
