#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <support/catch.hpp>

#include <io/temporary_folder.hpp>

namespace {

using repebble::testing::temporary_folder;

std::string const network = std::string(REPEBBLE_SOURCE_DIR) + "/examples/data/unet_small.json";

struct ran {
    int status = 0;
    std::string output;  // both streams
};

auto plan(std::string const& arguments) -> ran {
    ran result;
    auto* const pipe = popen((std::string(REPEBBLE_PLAN_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 4096> buffer{};
    while (auto const got = std::fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), got);
    result.status = WEXITSTATUS(pclose(pipe));
    return result;
}

auto planned(std::string const& arguments) -> nlohmann::json {
    auto const r = plan(arguments + " --json");
    INFO(r.output);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.output);
}

}  // namespace

TEST_CASE("the JSON has the documented keys, for every strategy") {
    auto const all = planned(network + " --budget 70%");
    REQUIRE(all["graph"].size() == 4);
    REQUIRE(all["graph"]["vertices"] == 39);
    REQUIRE(all["convention"] == "value_grad");
    REQUIRE(all["plans"].size() == 5);
    for (auto const& p : all["plans"])
        for (auto const* key : {"strategy", "feasible", "peak", "peak_formula", "time", "overhead", "overhead_formula",
                                "overhead_percent", "segments", "steps", "seconds", "lower_sets", "epsilon"})
            REQUIRE(p.contains(key));
}

TEST_CASE("exit status is 3 when nothing fits, and the table says by how much") {
    auto const r = plan(network + " --budget 1MiB");
    REQUIRE(r.status == 3);
    REQUIRE(r.output.find("misses by") != std::string::npos);
}

TEST_CASE("every strategy has a plan at its own least") {
    for (auto const& p : planned(network + " --budget min")["plans"]) REQUIRE(p["feasible"] == true);
}

TEST_CASE("a written schedule is judged again with the same figures, in every convention") {
    temporary_folder const folder;
    auto const file = (folder.path() / "schedule.json").string();
    for (std::string const how : {"value_grad", "op_backward", "executable"})
        for (std::string const strategy : {"keep_all", "sqrt_segments", "lower_set_exact", "forget_all"}) {
            auto const before = planned(network + " --budget min --strategy " + strategy + " --convention " + how +
                                        " --schedule " + file)["plans"][0];
            auto const after = planned(network + " --replay " + file)["plans"][0];
            for (auto const* key : {"strategy", "peak", "time", "overhead", "steps"}) REQUIRE(before[key] == after[key]);
        }
}

TEST_CASE("a schedule from which a step was taken is rejected, and the message names a step") {
    temporary_folder const folder;
    auto const file = (folder.path() / "schedule.json").string();
    static_cast<void>(planned(network + " --budget min --strategy keep_all --schedule " + file));
    auto document = nlohmann::json::parse(std::ifstream(file));
    document["steps"].erase(0);
    std::ofstream(file) << document.dump();
    auto const r = plan(network + " --replay " + file);
    REQUIRE(r.status == 2);
    REQUIRE(r.output.find("step 0") != std::string::npos);
}

TEST_CASE("bad input ends with status 2 and a message that names the culprit") {
    struct bad {
        std::string arguments, culprit;
    };
    std::vector<bad> const table{
        {network + " --budget ''", "empty"},
        {network + " --budget=-1", "-1"},
        {network + " --budget abc", "abc"},
        {network + " --budget 60%%", "60%%"},
        {network + " --budget nan%", "nan%"},
        {network + " --budget=-5%", "-5%"},
        {network + " --budget 99999999999GiB", "99999999999GiB"},
        {network + " --strategy best", "best"},
        {network + " --objective speed", "speed"},
        {network + " --judge luck", "luck"},
        {network + " --convention other", "other"},
        {network + " --epsilon 2", "2"},
        {network + " --colour", "--colour"},
        {"no_such_file.json", "no_such_file.json"},
        {std::string(REPEBBLE_SOURCE_DIR) + "/README.md", "README.md"},
        {network + " --replay no_such_schedule.json", "no_such_schedule.json"},
        {"", "graph"},
    };
    for (auto const& [arguments, culprit] : table) {
        auto const r = plan(arguments);
        INFO(arguments + " -> " + r.output);
        CHECK(r.status == 2);
        CHECK(r.output.find(culprit) != std::string::npos);
    }
}
