#ifndef REPEBBLE_TESTS_PROGRAM_RUN_PROGRAM_HPP
#define REPEBBLE_TESTS_PROGRAM_RUN_PROGRAM_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/temporary_folder.hpp"

/// Runs the programs as a user does.
namespace program {

using nlohmann::json;
using repebble::testing::temporary_folder;

[[nodiscard]] inline auto source(std::string const& path) -> std::string { return support::source_dir() + "/" + path; }
inline auto const unet = source("examples/data/unet_small.json");
inline auto const joint = source("tests/data/branching_network.json");
inline auto const residual = source("tests/data/residual_network.json");
inline auto const lstm_buffers = source("examples/data/lstm_buffers.csv");
inline auto const v_pipeline = source("examples/data/v_pipeline.json");
inline auto const cnn_trace = source("examples/data/cnn_cifar_b64.jsonl.gz");
inline auto const resnet_chain = source("examples/data/net_resnet152_b32.json");
inline auto const gpt_chain = source("examples/data/net_gpt2_24x1024_b8.json");

inline constexpr std::array strategies{"keep_all",
                                       "sqrt_segments",
                                       "segment_plan",
                                       "chain",
                                       "save_set",
                                       "greedy_eviction",
                                       "lower_set_approximate",
                                       "lower_set_exact",
                                       "forget_all",
                                       "automatic",
                                       "segment_recursive",
                                       "drop_cheap",
                                       "lower_set_exhaustive"};
/// Those that run where none is named.
inline constexpr auto usual_strategies = std::span(strategies).first<10>();
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

[[nodiscard]] inline auto run_program(std::string command, std::vector<std::string> const& arguments) -> outcome {
    temporary_folder const folder;
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

/// The executable of a program.
[[nodiscard]] inline auto program_file(std::string const& name) -> std::string {
    return support::build_dir() + "/examples/" + name;
}
[[nodiscard]] inline auto run(std::vector<std::string> const& arguments) -> outcome {
    return run_program(program_file("plan"), arguments);
}
[[nodiscard]] inline auto run_allocate(std::vector<std::string> const& arguments) -> outcome {
    return run_program(program_file("allocate"), arguments);
}
[[nodiscard]] inline auto run_chain(std::vector<std::string> const& arguments) -> outcome {
    return run_program(program_file("chain"), arguments);
}
[[nodiscard]] inline auto run_pipeline(std::vector<std::string> const& arguments) -> outcome {
    return run_program(program_file("pipeline"), arguments);
}
[[nodiscard]] inline auto run_treewidth(std::vector<std::string> const& arguments) -> outcome {
    return run_program(program_file("treewidth"), arguments);
}

[[nodiscard]] inline auto ordered_keys(nlohmann::ordered_json const& object) -> std::vector<std::string> {
    std::vector<std::string> names;
    for (auto const& [key, value] : object.items()) names.push_back(key);
    return names;
}

/// Whether every tag of an XML text is closed by its like, and nothing stands in it that must be escaped.
[[nodiscard]] inline auto is_well_formed(std::string const& text) -> bool {
    std::vector<std::string> open;
    std::size_t roots = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '&') {
            auto const end = text.find(';', at);
            auto const entity = text.substr(at, end == text.npos ? 0 : end - at + 1);
            if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") return false;
        }
        if (static_cast<unsigned char>(text[at]) < ' ' && text[at] != '\n') return false;
        if (text[at++] != '<') continue;
        auto const end = text.find('>', at);
        if (end == text.npos || text.substr(at, end - at).find('<') != std::string::npos) return false;
        auto const tag = text.substr(at, end - at);
        auto const name = tag.substr(0, tag.find_first_of(" /", 1));
        if (std::ranges::count(tag, '"') % 2 != 0) return false;
        if (tag.front() == '/') {
            if (open.empty() || "/" + open.back() != tag) return false;
            open.pop_back();
        } else {
            if (open.empty()) ++roots;
            if (tag.back() != '/') open.push_back(name);
        }
        at = end + 1;
    }
    return open.empty() && roots == 1;
}

/// What the schedule of a file costs.
[[nodiscard]] inline auto figures(json const& plan) -> json {
    return {plan.at("peak"), plan.at("time"), plan.at("overhead"), plan.at("overhead_percent"), plan.at("steps")};
}

}  // namespace program

#endif
