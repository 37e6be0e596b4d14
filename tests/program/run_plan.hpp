#ifndef REPEBBLE_TESTS_PROGRAM_RUN_PLAN_HPP
#define REPEBBLE_TESTS_PROGRAM_RUN_PLAN_HPP

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

/// Runs the program `plan` as a user does.
namespace program {

using nlohmann::json;
using repebble::testing::temporary_folder;

[[nodiscard]] inline auto source(std::string const& path) -> std::string {
    return std::string(REPEBBLE_SOURCE_DIR) + "/" + path;
}
inline auto const unet = source("examples/data/unet_small.json");
inline auto const joint = source("tests/data/branching_network.json");
inline auto const residual = source("tests/data/residual_network.json");

inline constexpr std::array strategies{"keep_all",        "sqrt_segments", "lower_set_approximate",
                                       "lower_set_exact", "forget_all",    "lower_set_exhaustive"};
inline constexpr std::array conventions{"value_grad", "op_backward", "executable"};

[[nodiscard]] inline auto text_of(std::filesystem::path const& path) -> std::string {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}
inline void write(std::filesystem::path const& path, std::string const& text) { std::ofstream(path) << text; }

/// What a run of the program leaves.
struct outcome {
    int status = 0;
    std::string out;
    std::string err;

    [[nodiscard]] auto says(std::string const& words) const -> bool { return err.find(words) != std::string::npos; }
    [[nodiscard]] auto answer() const -> json { return json::parse(out); }
    [[nodiscard]] auto plans() const -> json { return answer().at("plans"); }
    [[nodiscard]] auto plan() const -> json { return plans().at(0); }
};

[[nodiscard]] inline auto run(std::vector<std::string> const& arguments) -> outcome {
    temporary_folder const folder;
    std::string command = REPEBBLE_PLAN_PROGRAM;
    for (auto const& a : arguments) {
        command += " '";
        for (char const c : a) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
        command += "'";
    }
    command += " >'" + (folder / "out").string() + "' 2>'" + (folder / "err").string() + "'";
    int const status = std::system(command.c_str());
    REQUIRE(WIFEXITED(status));
    return {WEXITSTATUS(status), text_of(folder / "out"), text_of(folder / "err")};
}

/// What the schedule of a file costs.
[[nodiscard]] inline auto figures(json const& plan) -> json {
    return {plan.at("peak"), plan.at("time"), plan.at("overhead"), plan.at("overhead_percent"), plan.at("steps")};
}

}  // namespace program

#endif
