#ifndef REPEBBLE_RECOMPUTE_SEGMENT_TRIAL_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_TRIAL_HPP

// One trial of the segment search: its options, its result, and the evaluator that turns mirror counts into a schedule
// and measures its memory. Used by segment_search.hpp and detail/segments/keep_by_density.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/segmented_operations.hpp>
#include <repebble/recompute/detail/segments/mirrored_sequence.hpp>
#include <repebble/recompute/detail/within_budget.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

namespace repebble::inline v0 {

/// Measure of the memory of a plan.
enum class memory_measure : std::uint8_t {
    peak,    ///< peak of the replay: most bytes in use at one time
    blocks,  ///< sum of blocks that storages share in turn (`share_blocks`)
    arena,   ///< one block with offsets (`make_arena`)
};

/// Options of plans by segments.
struct segment_options {
    objective goal = objective::time;  ///< memory: the fewest bytes, which must fit the budget
    bool nearest = false;              ///< where no plan fits, return the smallest one
    segment_candidates candidates{};   ///< where segments may end
    bool every_kind = false;           ///< also tries narrow places and cuts everywhere, and returns the best
    /// Number of limits tried between B / √2 and √2 · B; if not 0, also some beyond while plans get smaller.
    std::size_t grid = 6;
    /// Keeps further values, in descending order of time per byte, as the budget allows; without a budget, as the
    /// memory of the best plan allows.
    bool keep_expensive = false;
    memory_measure measure = memory_measure::arena;  ///< the memory that the budget limits
    bytes alignment = 1;                             ///< of offsets, where arenas are measured
    double effort = 0.1;                             ///< for the offsets of each plan, as of `offset_options`
    order_rule order = order_rule::by_index;         ///< of the forward operations
    std::size_t threads = 1;    ///< that evaluate plans in parallel; without limits the plan does not depend on it
    /// Seconds and `stop`: the best plan so far; of more than 10⁵ operations, or without forward operations, there may be
    /// none. `work` is not counted.
    repebble::limits limits{};
    /// Allowed steps in place, as of `write_in_place`: whether the operation may write an output over a value. None:
    /// none.
    std::function<bool(operation_index, std::uint32_t, value_index)> may_overwrite{};
};

/// One plan of a search, with its limit and mirror counts.
struct segment_trial {
    std::optional<bytes> limit{};  ///< B; none: the plan of √n segments
    bool limits_all = false;       ///< the limit is for each segment with all that is kept before it
    bool keeps_more = false;       ///< expensive values are kept too; of `mirrors`, only the counts reflect that
    mirror_plan mirrors{};         ///< for `mirror`; for √n segments the closest counts
    recompute_plan<> plan{};       ///< with steps in place, where a rule allows them
    /// Memory by the measure; only the peak where that exceeds both the budget and the memory of another plan.
    bytes size = 0;

    friend auto operator==(segment_trial const&, segment_trial const&) -> bool = default;
};

namespace detail {

using segment_request = within_budget<segment_options>;

/// Evaluates mirror counts: the schedule they stand for, and its memory.
class segment_judge {
  public:
    /// stop: whether no more is to be tried; asked by several threads.
    segment_judge(planning_graph const& graph, segment_request const& options, stop_test stop)
        : graph_(graph), options_(options), stop_(stop), order_(ordered_numbers(graph, options.order)) {
        if (are_everywhere(graph, order_, options.candidates))
            crossing_.emplace(graph, order_);
        else
            cuts_ = cuts_of(graph, order_, options.candidates);
    }

    [[nodiscard]] auto graph() const -> planning_graph const& { return graph_; }
    [[nodiscard]] auto is_over() const -> bool { return stop_(); }
    /// Bytes of all forward results: every limit from here on gives one segment.
    [[nodiscard]] auto total() const -> bytes {
        bytes sum = 0;
        for (auto const size : graph_.problem().memory) sum += size;
        return sum;
    }
    /// Bytes of the largest forward result.
    [[nodiscard]] auto largest() const -> bytes {
        bytes most = 0;
        for (auto const size : graph_.problem().memory) most = std::max(most, size);
        return most;
    }
    /// Whether every position is a cut.
    [[nodiscard]] auto cuts_everywhere() const noexcept -> bool { return crossing_.has_value(); }
    /// Everywhere: the cuts by which each segment, with all that is kept before it, has at most so many bytes.
    [[nodiscard]] auto mirrors_within_all(bytes limit) const -> mirror_plan {
        return mirrors_between(graph_, order_, *crossing_, crossing_->cuts_within(limit), true);
    }
    /// Everywhere: the least limit that `mirrors_within_all` keeps, within a hundredth; ended early, a greater one.
    /// Gallops up from the largest value: segments are short where limits are small.  O(n · operations in a segment)
    /// for each of some ten limits.
    [[nodiscard]] auto least_limit() const -> bytes {
        auto const is_kept = [&](bytes limit) { return crossing_->cuts_within(limit).largest <= limit; };
        auto const all = total();
        bytes low = 0, high = all;  // the limit `low` is not kept
        for (auto next = std::max<bytes>(1, largest()); next < all && !stop_();) {
            if (is_kept(next)) {
                high = next;
                break;
            }
            low = next;
            next += std::min(next, all - next);
        }
        while (high - low > 1 + high / 128 && !stop_()) {
            auto const middle = low + (high - low) / 2;
            (is_kept(middle) ? high : low) = middle;
        }
        return high;
    }
    /// Algorithm 3. The last segment is kept: nothing runs between it and its gradients.
    [[nodiscard]] auto mirrors_within(bytes limit) const -> mirror_plan {
        if (crossing_) return mirrors_between(graph_, order_, *crossing_, crossing_->cheapest_cuts(limit), true);
        return plan_mirrors(graph_, order_, cuts_, limit, true);
    }
    /// The plan of √n segments, and the counts that keep the same values; nothing where it takes too long.
    [[nodiscard]] auto trial_of_root() const -> std::optional<segment_trial> {
        auto root = best_sqrt_segments(graph_, stop_);
        if (!root) return std::nullopt;
        segment_trial trial{.mirrors = mirrors_of(root->first), .plan = in_place(std::move(root->second))};
        trial.size = trial.plan.cost.peak;
        return trial;
    }
    [[nodiscard]] auto mirrors_of(lower_set_sequence const& sequence) const -> mirror_plan {
        auto const& problem = graph_.problem();
        auto const kept = segmented_operations(graph_, sequence).kept;
        mirror_plan plan{.segments = sequence.count};
        std::vector<bytes> within(sequence.count, 0);
        for (std::size_t f = 0; f < order_.size(); ++f) {
            bool const last = sequence.segment[f] + 1 == sequence.count;
            bool const is_kept = kept.contains(graph_.forward(f));
            plan.counts.push_back(is_kept || last ? 0 : 1);
            if (is_kept) plan.between += problem.memory[f];
            within[sequence.segment[f]] += problem.memory[f];
        }
        for (std::size_t i = 0; i + 1 < within.size(); ++i) plan.within = std::max(plan.within, within[i]);
        return plan;
    }
    /// Nothing where no more is to be tried before it is made.
    [[nodiscard]] auto plan_of(mirror_plan const& mirrors) const -> std::optional<recompute_plan<>> {
        auto const computations = mirrored_sequence(graph_, mirrors.counts, order_).computations();
        auto made = make_schedule_until(graph_.flow(), computations, {}, stop_);
        if (!made) return std::nullopt;
        auto plan = trial_of(graph_, *std::move(made), stop_);
        if (plan.cost.peak == peak_of_illegal && stop_()) return std::nullopt;
        return in_place(std::move(plan));
    }
    /// Returns the plan, whose cost is known, with steps in place wherever the rule allows.
    [[nodiscard]] auto in_place(recompute_plan<> plan) const -> recompute_plan<> {
        auto const& flow = graph_.training().flow;
        if (!options_.may_overwrite || plan.cost.peak == peak_of_illegal) return plan;
        plan.schedule = write_in_place(flow, plan.schedule, options_.may_overwrite);
        plan.cost = replay(flow, plan.schedule);
        return plan;
    }
    [[nodiscard]] auto size_of(recompute_plan<> const& plan) const -> bytes {
        auto const& flow = graph_.training().flow;
        if (plan.cost.peak == peak_of_illegal) return peak_of_illegal;
        switch (options_.measure) {
            case memory_measure::peak:
                return plan.cost.peak;
            case memory_measure::blocks:
                return share_blocks(find_lifetimes(flow, plan.schedule).buffers).total;
            case memory_measure::arena:
                break;
        }
        return make_arena(
                   flow, plan.schedule,
                   {.alignment = options_.alignment,
                    .offsets = {.limits = {.work = static_cast<std::size_t>(
                                               options_.effort * static_cast<double>(offset_options::default_work)),
                                           .stop = stop_}}})
            .size;
    }

  private:
    planning_graph const& graph_;
    segment_request const& options_;
    stop_test stop_;
    std::vector<std::uint32_t> order_;
    std::vector<segment_cut> cuts_{};
    std::optional<crossing_values> crossing_{};
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
