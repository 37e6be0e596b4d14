#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/io/buffer_table.hpp>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

TEST_CASE("plan: with --arena the JSON says how large the arena is, and the table too", "[plan][long]") {
    for (auto const& graph : {residual, joint, unet}) {
        INFO(graph);
        auto const done = run({graph, "--budget", "min", "--time-limit", "8", "--arena", "--json"});
        CHECK(done.status == 0);
        auto const answer = nlohmann::ordered_json::parse(done.out);
        int arenas = 0;
        for (auto const& plan : answer.at("plans")) {
            if (plan.contains("note")) continue;  // on a slow machine the time may be over before it begins
            ++arenas;
            auto const keys = ordered_keys(plan);
            CHECK(std::vector(keys.end() - 2, keys.end()) == std::vector<std::string>{"arena", "arena_least"});
            CHECK(plan.at("arena") >= plan.at("peak"));
            if (plan.at("arena") == plan.at("peak")) CHECK(plan.at("arena_least") == true);
        }
        CHECK(arenas > 0);
    }
    auto const table = run({residual, "--budget", "min", "--arena"}).out;
    CHECK(table.find("arena   of peak") != std::string::npos);
    CHECK(table.find("100.00%") != std::string::npos);
    CHECK(run({residual, "--budget", "min"}).out.find("arena") == std::string::npos);
}

TEST_CASE("plan: where a strategy gives up there is no arena", "[plan]") {
    auto const plan = run({residual, "--strategy", "forget_all", "--step-limit", "3", "--arena", "--json"}).plan();
    CHECK((plan.at("arena").is_null() && plan.at("arena_least").is_null()));
    CHECK(run({residual, "--strategy", "forget_all", "--step-limit", "3", "--arena"}).status == 3);
}

TEST_CASE("plan: the buffers of an arena are written, drawn, and planned again by allocate", "[plan]") {
    temporary_folder const folder;
    auto const out = (folder / "arena.csv").string();
    auto const picture = (folder / "arena.svg").string();
    for (auto const* convention : conventions) {
        INFO(convention);
        auto const done = run({unet, "--convention", convention, "--strategy", "lower_set_approximate", "--json",
                               "--in-place", "--arena-out", out, "--arena-svg", picture});
        REQUIRE(done.status == 0);
        auto table = repebble::io::read_buffers(out);
        std::vector<repebble::bytes> offsets;
        for (auto& b : table.buffers) {
            offsets.push_back(b.pinned.value());
            b.pinned.reset();
        }
        auto const verdict = repebble::verify_offsets(table.buffers, offsets);
        CHECK_FALSE(verdict.fault);
        CHECK(verdict.height == done.plan().at("arena"));
        CHECK(repebble::find_live_bytes(table.buffers).most == done.plan().at("peak"));
        CHECK(table.names.front() == "forward 0 output 0 run 0");
        CHECK(is_well_formed(text_of(picture)));
        CHECK(text_of(picture).find("unet_small: the arena of lower_set_approximate") != std::string::npos);
        CHECK(run_allocate({out, "--minimise", "--json"}).answer().at("height") == verdict.height);
    }
    std::filesystem::remove(out);
    CHECK(run({unet, "--budget", "1", "--strategy", "keep_all", "--arena-out", out}).status == 3);
    CHECK_FALSE(std::filesystem::exists(out));
    auto const refused = run({residual, "--budget", "100%", "--arena-out", (folder / "no/such.csv").string()});
    CHECK((refused.status == 2 && refused.says("no/such.csv")));
}

TEST_CASE("plan: in place no peak is higher, and a written schedule replays to the same figures", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    for (auto const* strategy : strategies) {
        auto const with = [&](std::vector<std::string> const& more) {
            std::vector<std::string> all{joint,    "--budget", "1000%",      "--strategy",
                                         strategy, "--json",   "--schedule", file};
            all.insert(all.end(), more.begin(), more.end());
            return run(all).plan();
        };
        INFO(strategy);
        auto const plain = with({});
        auto const in_place = with({"--in-place", "--arena"});
        CHECK(in_place.at("peak") <= plain.at("peak"));
        CHECK(in_place.at("time") == plain.at("time"));
        auto const replayed = run({joint, "--replay", file, "--arena", "--json"});
        REQUIRE(replayed.status == 0);
        CHECK(replayed.err.empty());
        CHECK(figures(replayed.plan()) == figures(in_place));
        CHECK(replayed.plan().at("arena") == in_place.at("arena"));
    }
}

TEST_CASE("plan: a schedule from a file is rewritten with in-place steps, and judged so", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    auto const kept = run({unet, "--strategy", "keep_all", "--budget", "100%", "--schedule", file, "--json"}).plan();
    auto const in_place = run({unet, "--replay", file, "--in-place", "--arena", "--json"}).plan();
    CHECK(in_place.at("peak") < kept.at("peak"));
    CHECK(in_place.at("steps") < kept.at("steps"));
    CHECK(in_place.at("arena") >= in_place.at("peak"));
    auto const budget = in_place.at("peak").dump();
    CHECK(run({unet, "--replay", file, "--budget", budget}).status == 3);
    CHECK(run({unet, "--replay", file, "--budget", budget, "--in-place"}).status == 0);
    CHECK(run({unet, "--strategy", "keep_all", "--budget", budget}).status == 3);
    CHECK(run({unet, "--strategy", "keep_all", "--budget", budget, "--in-place"}).status == 0);
}
