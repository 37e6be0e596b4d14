#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"

namespace chain_program {

using namespace repebble;

namespace {

constexpr std::size_t most_rows = 20;

auto name_of(io::chain_document const& of, std::string const& file) -> std::string {
    return of.name.empty() ? std::filesystem::path(file).filename().string() : of.name;
}

auto time_once(chain const& of) -> std::int64_t {
    std::int64_t sum = 0;
    for (auto const& s : of.stages) sum += s.forward_time + s.backward_time;
    return sum;
}

auto word(chain_action const& a) -> std::string_view {
    switch (a.what) {
        case chain_action::kind::forward:
            return "forward";
        case chain_action::kind::save:
            return "save";
        case chain_action::kind::backward:
            break;
    }
    return "backward";
}

auto share(std::int64_t part, std::int64_t whole) -> std::string {
    return whole == 0 ? "-" : fmt::format("{:.2f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

/// How good the times are.
auto quality(solution const& found) -> std::string {
    if (found.unit) return fmt::format("in slots of {} bytes", *found.unit);
    if (found.epsilon > 0) return fmt::format("at most {:.4f} % above the least", 100 * found.epsilon);
    return "the least";
}

}  // namespace

void print_words(io::chain_document const& of, std::string const& file, solution const& found, double seconds) {
    auto const once = time_once(of.chain);
    fmt::print("{}: {} stages and the loss, {:.3f} CPU s\n", command_line::one_line(name_of(of, file)),
               of.chain.stages.size() - 1, seconds);
    fmt::print("to keep all: {} bytes ({}), time {}; times are {}\n\n", found.keep_all,
               io::format_bytes(found.keep_all), once, quality(found));
    if (found.curve.empty()) {
        fmt::print("nothing fits{}\n", found.budget ? " into " + std::to_string(*found.budget) + " bytes" : "");
        return;
    }
    fmt::print("{:>16}  {:>9}  {:>8}  {:>14}  {:>9}\n", "budget", "", "of all", "time", "overhead");
    auto const points = found.curve.size();
    auto const rows = std::min(points, most_rows);
    for (std::size_t k = 0; k < rows; ++k) {
        auto const& [budget, time] = found.curve[rows == 1 ? 0 : k * (points - 1) / (rows - 1)];
        fmt::print("{:>16}  {:>9}  {:>8}  {:>14}  {:>9}\n", budget, io::format_bytes(budget),
                   share(budget, found.keep_all), time, share(time - once, once));
    }
    if (rows < points) fmt::print("{} of {} budgets\n", rows, points);
    if (found.peak) fmt::print("the plan peaks at {} bytes ({})\n", *found.peak, io::format_bytes(*found.peak));
    if (!found.actions) return;
    fmt::print("\n");
    for (auto const& a : *found.actions) fmt::print("{} {}\n", word(a), a.stage);
}

void print_json(io::chain_document const& of, std::string const& file, arguments const& asked, solution const& found,
                double seconds) {
    auto curve = nlohmann::ordered_json::array();
    for (auto const& [budget, time] : found.curve) curve.push_back({budget, time});
    nlohmann::ordered_json all{{"name", name_of(of, file)}, {"stages", of.chain.stages.size() - 1}};
    if (found.budget) all["budget"] = *found.budget;
    all["curve"] = std::move(curve);
    all["exact"] = found.exact();
    if (found.unit) {
        all["slots"] = *asked.slots;
        all["unit"] = *found.unit;
    } else {
        all["epsilon"] = found.epsilon;
    }
    if (found.peak) all["peak"] = *found.peak;
    if (found.actions) {
        auto& actions = all["actions"] = nlohmann::ordered_json::array();
        for (auto const& a : *found.actions) actions.push_back({word(a), a.stage});
    }
    all["seconds"] = seconds;
    command_line::print_json(all);
}

}  // namespace chain_program
