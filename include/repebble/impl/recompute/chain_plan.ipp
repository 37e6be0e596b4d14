#ifndef REPEBBLE_IMPL_RECOMPUTE_CHAIN_PLAN_IPP
#define REPEBBLE_IMPL_RECOMPUTE_CHAIN_PLAN_IPP

#include <repebble/recompute/chain_plan.hpp>

#include <cstdint>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/recompute/detail/chain_stages/chain_candidates.hpp>
#include <repebble/recompute/detail/chain_stages/graph_as_chain.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto is_chain_of_blocks(planning_graph const& graph) -> bool {
    constexpr std::size_t fewest_blocks = 8, largest_block = 16;
    auto const order = ordered_numbers(graph, order_rule::by_index);
    auto const ends = stage_ends(graph, order, segment_candidates{.where = cut_points::articulation});
    if (ends.size() < fewest_blocks || ends.front() > largest_block || order.size() - 1 - ends.back() > largest_block)
        return false;
    return std::ranges::adjacent_find(ends, [](auto a, auto b) { return b - a > largest_block; }) == ends.end();
}

/// Returns the number of candidates up to the last that fits, by galloping search from `expected`: the chain counts
/// some values twice that are resident once, so more may fit than it predicts.
template <class Fits>
[[nodiscard]] auto find_last(std::size_t expected, std::size_t count, Fits const& fits) -> std::size_t {
    std::size_t known = expected, beyond = count;  // all before `known` fit, none from `beyond` on
    if (expected > 0 && !fits(expected - 1)) {
        known = 0;
        beyond = expected - 1;
    }
    for (std::size_t leap = 1; known < beyond; leap *= 2) {
        auto const next = std::min(known + leap, beyond) - 1;
        if (fits(next)) {
            known = next + 1;
            continue;
        }
        beyond = next;
        break;
    }
    while (known < beyond) {
        auto const middle = known + (beyond - known) / 2;
        if (fits(middle)) {
            known = middle + 1;
        } else {
            beyond = middle;
        }
    }
    return known;
}

REPEBBLE_INLINE auto plan_by_stages(planning_graph const& graph, chain_request const& options,
                                    std::span<segment_candidates const> places, stop_test stop)
    -> std::optional<recompute_plan<>> {
    check_threads(options.threads);
    if (options.slots == 0) detail::raise(bad_weight("memory cannot be counted in 0 slots"));
    plan_preference const prefer{options.budget, objective::time, false};
    std::optional<recompute_plan<>> best;
    auto const cost_of = [](recompute_plan<> const& p) {
        return typename plan_preference::time_and_peak{p.cost.time, p.cost.peak};
    };
    auto const improve = [&](chain_candidates const& candidates) {
        auto const fits = [&](std::size_t k) {
            if (best && stop()) return false;
            auto plan = candidates.plan(k, options.budget, stop);
            bool const within_budget = prefer.fits(cost_of(plan));
            if (!best || prefer(cost_of(plan), cost_of(*best))) best = std::move(plan);
            return within_budget;
        };
        if (candidates.count() == 0) return;
        if (options.budget) {
            auto const last = find_last(candidates.within(*options.budget), candidates.count(), fits);
            constexpr std::size_t few = 6;  // an earlier one may leave more memory to drop recomputations
            for (std::size_t k = 2; k < few && k <= last; ++k) static_cast<void>(fits(last - k));
        } else {
            constexpr std::size_t few = 4;  // the least replayed peak is among the first
            for (std::size_t k = 0; k < std::min(few, candidates.count()); ++k) static_cast<void>(fits(k));
        }
    };
    std::vector<std::pair<std::vector<std::uint32_t>, std::vector<std::size_t>>> tried;
    auto const try_stages = [&](order_rule how, segment_candidates const& where, std::size_t lengths) {
        auto order = ordered_numbers(graph, how);
        auto ends = stage_ends(graph, order, where);
        if (std::ranges::find(tried, std::pair(order, ends)) != tried.end()) return;
        auto const least = ends.size() / std::max<std::size_t>(1, options.most_stages) + 1;
        for (std::size_t more = 0; more < std::max<std::size_t>(1, lengths) && !stop(); ++more) {
            if (more > 0 && ends.size() < least + more) break;  // one stage left
            improve(chain_candidates(graph, options, order, ends, least + more, stop));
        }
        tried.emplace_back(std::move(order), std::move(ends));
    };
    for (auto const& where : places) {
        if (stop()) break;
        bool const more = where.where == cut_points::automatic &&
                          are_everywhere(graph, ordered_numbers(graph, options.order), where);
        try_stages(options.order, more ? segment_candidates{.where = cut_points::articulation} : where,
                   options.most_cuts);
        if (!more) continue;
        constexpr std::size_t few = 2;  // lengths: positions are many
        for (auto const how : {order_rule::by_index, order_rule::depth_first})
            try_stages(how, {.where = cut_points::everywhere}, std::min(few, options.most_cuts));
    }
    auto const& flow = graph.training().flow;
    constexpr std::size_t soon = 200'000;  // operations that are scheduled and replayed before a stop counts as late
    if (!best && flow.operation_count() > soon && options.budget && !options.nearest && stop()) return std::nullopt;
    // No stage, sizes beyond 64 bits, or no legal order of the stages.
    if (!best || best->cost.peak == peak_of_illegal) best = keep_all(flow);
    if (!prefer.fits(cost_of(*best)) && !options.nearest) return std::nullopt;
    return best;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto chain_plan(problem const& p, optional_budget given, chain_plan_options const& options)
    -> std::optional<recompute_plan<>> {
    std::optional<bytes> const budget = given;
    detail::limit_test limit(options.limits);
    planning_graph const graph(detail::training_of(p));
    std::vector<segment_candidates> places{options.candidates};
    if (options.narrow_places) places.push_back({.where = cut_points::narrow_places});
    bool const memory = options.goal == objective::memory;
    detail::chain_request const asked{options, memory ? std::nullopt : budget};
    auto best = detail::plan_by_stages(graph, asked, places, limit);
    if (best && !options.nearest && budget && best->cost.peak > *budget) return std::nullopt;
    return best;
}

}  // namespace repebble::inline v0

#endif
