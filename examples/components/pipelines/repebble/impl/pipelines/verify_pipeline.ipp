#ifndef REPEBBLE_IMPL_PIPELINES_VERIFY_PIPELINE_IPP
#define REPEBBLE_IMPL_PIPELINES_VERIFY_PIPELINE_IPP

#include <repebble/pipelines/verify_pipeline.hpp>

#include <algorithm>
#include <array>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pipelines/detail/flat_order.hpp>
#include <repebble/pipelines/detail/rank_memory.hpp>

namespace repebble::inline v0::detail {

/// The first rule that the lists break, whatever the times.
[[nodiscard]] inline auto find_wrong_list(pipeline const& p, pipeline_schedule const& schedule)
    -> std::optional<pipeline_violation> {
    auto const items = p.stages.size() * p.microbatches;
    if (schedule.orders.size() != p.ranks)
        return pipeline_violation{
            pipeline_rule::lists_fit,
            std::min(schedule.orders.size(), p.ranks),
            {},
            std::to_string(schedule.orders.size()) + " lists of passes for " + std::to_string(p.ranks) + " ranks"};
    if (schedule.choices.size() != items)
        return pipeline_violation{pipeline_rule::lists_fit,
                                  0,
                                  {},
                                  std::to_string(schedule.choices.size()) + " choices for " + std::to_string(items) +
                                      " stages and microbatches"};
    // By item: whether its forward pass, its gradients of inputs and those of weights are in a list.
    std::vector<std::array<bool, 3>> seen(items, std::array<bool, 3>{});
    for (std::size_t r = 0; r < p.ranks; ++r)
        for (auto const& pass : schedule.orders[r]) {
            auto const broken = [&](pipeline_rule rule, std::string const& what) {
                return pipeline_violation{rule, r, pass, "rank " + std::to_string(r) + " " + what};
            };
            if (pass.kind > pass_kind::backward || pass.stage >= p.stages.size() || pass.microbatch >= p.microbatches)
                return broken(pipeline_rule::names_exist,
                              "has the pass " + to_string(pass) + ", which the pipeline has not");
            if (p.stages[pass.stage].rank != r)
                return broken(pipeline_rule::names_exist, "has the pass " + to_string(pass) + ", which is of rank " +
                                                              std::to_string(p.stages[pass.stage].rank));
            auto const item = pass.stage * p.microbatches + pass.microbatch;
            auto& [forward, inputs, weights] = seen[item];
            bool const both = pass.kind == pass_kind::backward;
            if ((pass.kind == pass_kind::forward && forward) ||
                ((pass.kind == pass_kind::input_gradient || both) && inputs) ||
                ((pass.kind == pass_kind::weight_gradient || both) && weights))
                return broken(pipeline_rule::runs_once, "runs again: " + to_string(pass));
            forward = forward || pass.kind == pass_kind::forward;
            inputs = inputs || pass.kind == pass_kind::input_gradient || both;
            weights = weights || pass.kind == pass_kind::weight_gradient || both;
        }
    for (std::size_t item = 0; item < items; ++item) {
        auto const s = static_cast<std::uint32_t>(item / p.microbatches);
        auto const k = static_cast<std::uint32_t>(item % p.microbatches);
        for (auto const kind : {pass_kind::forward, pass_kind::input_gradient, pass_kind::weight_gradient})
            if (pipeline_pass const pass{kind, s, k}; !seen[item][static_cast<std::size_t>(kind)])
                return pipeline_violation{pipeline_rule::complete, p.stages[s].rank, pass,
                                          "rank " + std::to_string(p.stages[s].rank) + " lacks " + to_string(pass)};
        if (schedule.choices[item] >= p.stages[s].choices.size())
            return pipeline_violation{pipeline_rule::names_exist,
                                      p.stages[s].rank,
                                      {pass_kind::forward, s, k},
                                      "stage " + std::to_string(s) + " has no choice " +
                                          std::to_string(schedule.choices[item]) + ", as of microbatch " +
                                          std::to_string(k)};
    }
    return std::nullopt;
}

/// The first rank that does not come to its end.
[[nodiscard]] inline auto find_deadlock(pipeline const& p, flat_order const& flat)
    -> std::optional<pipeline_violation> {
    if (flat.topological().size() == flat.passes().size()) return std::nullopt;
    std::vector<bool> runs(flat.passes().size(), false);
    for (auto const i : flat.topological()) runs[i] = true;
    auto const stuck = static_cast<std::size_t>(std::ranges::find(runs, false) - runs.begin());
    std::size_t r = 0;
    while (flat.begin_of(r + 1) <= stuck) ++r;
    auto const& pass = flat.passes()[stuck];
    auto const& awaited = flat.passes()[pass.data].name;
    return pipeline_violation{pipeline_rule::no_deadlock, r, pass.name,
                              "deadlock: rank " + std::to_string(r) + " waits with " + to_string(pass.name) + " for " +
                                  to_string(awaited) + " of rank " + std::to_string(p.stages[awaited.stage].rank) +
                                  ", which never runs"};
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto verify_pipeline(pipeline const& p, pipeline_schedule const& schedule) -> pipeline_verdict {
    check_pipeline(p);
    pipeline_verdict found{.broken = detail::find_wrong_list(p, schedule)};
    if (found.broken) return found;
    detail::flat_order const flat(p, schedule.orders);
    found.broken = detail::find_deadlock(p, flat);
    if (found.broken) return found;
    auto const again = flat.recomputed(schedule.choices);
    auto const ends = flat.ends(again);
    auto& cost = found.cost;
    for (std::size_t r = 0; r < p.ranks; ++r) {
        cost.peaks.push_back(detail::peak_of(p, r, schedule.orders[r], schedule.choices));
        auto& spans = cost.spans.emplace_back();
        for (auto i = flat.begin_of(r); i < flat.begin_of(r + 1); ++i) {
            spans.push_back({ends[i] - flat.passes()[i].duration - again[i], ends[i]});
            cost.makespan = std::max(cost.makespan, ends[i]);
        }
    }
    return found;
}

REPEBBLE_INLINE auto replay_pipeline(pipeline const& p, pipeline_schedule const& schedule) -> pipeline_cost {
    auto found = verify_pipeline(p, schedule);
    if (found.broken) detail::raise(illegal_pipeline(std::move(*found.broken)));
    return std::move(found.cost);
}

}  // namespace repebble::inline v0

#endif
