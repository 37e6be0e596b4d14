#include "heuristics.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/treewidth/nested_dissection.hpp>
#include <repebble/treewidth/width_bounds.hpp>

#include "command_line/cpu_seconds.hpp"
#include "command_line/interruption.hpp"
#include "command_line/parse_number.hpp"

namespace treewidth_program {

using namespace repebble;

namespace {

constexpr double usual_time = 0.4;
constexpr std::string_view weighted = "fill+";
constexpr std::string_view by_degree = "*degree";

/// The rule of that name; nothing for other heuristics. Ties are broken by the seed where it is not 1.
auto rule_named(std::string_view name, std::uint64_t seed) -> std::optional<elimination_rule> {
    std::optional<elimination_rule> rule;
    if (name == "min-fill") rule = least_fill;
    if (name == "min-degree") rule = least_degree;
    if (name == "fill/degree") rule = least_fill_per_neighbor;
    if (name.starts_with(weighted) && name.ends_with(by_degree) && name.size() > weighted.size() + by_degree.size()) {
        auto const factor = name.substr(weighted.size(), name.size() - weighted.size() - by_degree.size());
        if (auto const number = command_line::number_in<std::uint16_t>(factor)) rule = {.degree = *number};
    }
    if (rule && seed != 1) {
        rule->ties = tie_breaking::random;
        rule->seed = seed;
    }
    return rule;
}

constexpr std::array<std::string_view, 3> others{"best", "nested-dissection", "given-order"};

}  // namespace

auto is_heuristic(std::string const& name) -> bool {
    return rule_named(name, 1).has_value() || std::ranges::find(others, name) != others.end();
}
auto heuristic_names() -> std::string {
    return "best, min-fill, min-degree, fill/degree, fill+N*degree, nested-dissection, given-order";
}

auto find_width(undirected_graph const& g, arguments const& asked) -> timed_bounds {
    auto const begin = command_line::cpu_seconds();
    if (asked.heuristic == "best") {
        auto const threads = asked.threads > 0 ? asked.threads : std::max(1U, std::thread::hardware_concurrency());
        auto found = find_treewidth(
            g, {.limits = {.seconds = asked.time_limit.value_or(usual_time), .stop = command_line::interrupted},
                .seed = asked.seed,
                .threads = threads});
        return {std::move(found), command_line::cpu_seconds() - begin};
    }
    ordered_elimination made;
    if (auto const rule = rule_named(asked.heuristic, asked.seed)) {
        made = find_elimination_order(g, {.rule = *rule});
    } else if (asked.heuristic == "nested-dissection") {
        made = find_dissection_order(g, {.seed = asked.seed});
    } else {
        made.order.resize(g.vertex_count());
        std::iota(made.order.begin(), made.order.end(), undirected_graph::vertex{0});
        made.width = elimination::of(g, made.order).width;
    }
    auto const seconds = command_line::cpu_seconds() - begin;
    return {{find_contraction_bound(g), made.width, std::move(made.order), asked.heuristic}, seconds};
}

}  // namespace treewidth_program
