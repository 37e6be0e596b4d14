#ifndef REPEBBLE_OFFLOAD_SWAP_BASELINES_HPP
#define REPEBBLE_OFFLOAD_SWAP_BASELINES_HPP

// The systems with which Chen, section 5.1, compares, as plans in the same simulator (point 31): MXNet-memonger
// (T. Chen, B. Xu, C. Zhang, C. Guestrin 2016), SuperNeurons (Wang et al. 2018) in three modes, TFLMS (Le et al. 2018),
// and vDNN (Rhu et al. 2016), the first of the kind. Each does what its paper says on the intervals of a trace, whether
// or not that fits the limit; `random choice` is play_episode.hpp's.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <repebble/offload/judged_swaps.hpp>
#include <repebble/offload/simulate_swaps.hpp>
#include <repebble/offload/swap_problem.hpp>

namespace repebble::inline v0 {

/// Whether a computation is cheap (pooling, activations, normalisation; convolutions and products are not), for traces
/// that do not say it: it takes less than the mean time.
class cheaper_than_mean {
  public:
    /// Of that problem, which must outlive it.  O(computations).
    explicit cheaper_than_mean(swap_problem const& problem) : problem_(&problem) {
        for (computation_index c = 0; c < count(); ++c) total_ += static_cast<double>(problem.at(c).time);
    }
    /// The answer for a computation.  O(1).
    [[nodiscard]] auto operator()(computation_index c) const -> bool {
        return static_cast<double>(problem_->at(c).time) * static_cast<double>(count()) < total_;
    }

  private:
    [[nodiscard]] auto count() const -> std::size_t { return problem_->iteration().computations.size(); }

    swap_problem const* problem_;
    double total_ = 0;
};

/// The three modes of SuperNeurons.
enum class superneurons_mode : std::uint8_t {
    swapping,     ///< least recently used variables are offloaded
    recomputing,  ///< what cheap computations wrote is removed
    both,         ///< the second, then the first
};

/// What vDNN offloads.
enum class vdnn_mode : std::uint8_t {
    all,           ///< what any computation reads
    convolutions,  ///< what those read that are not cheap
};

namespace detail {

struct memonger_swaps_fn {
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options) const -> judged_swaps {
        auto const crosses = crosses_peak(problem);
        std::vector<std::size_t> removable;
        for (std::size_t i = 0; i < problem.intervals().size(); ++i)
            if (problem.intervals()[i].is_removable && crosses(problem.intervals()[i])) removable.push_back(i);
        std::ranges::stable_sort(removable, {}, [&](auto i) { return problem.intervals()[i].producer; });
        auto best = judge_swaps(problem, problem.keep_all(), options);
        for (std::size_t length = 2; length <= removable.size() + 1; length += 1 + length / 8) {
            auto plan = problem.keep_all();
            for (std::size_t k = 0; k < removable.size(); ++k)
                if ((k + 1) % length != 0) plan[removable[k]] = swap_choice::remove;
            keep_better(best, judge_swaps(problem, std::move(plan), options));
        }
        return best;
    }
};

/// Offloads, at the first row that does not fit, the variable that was used least recently; and so on.
[[nodiscard]] inline auto evict_least_recent(swap_problem const& problem, swap_plan plan, swap_options const& options)
    -> judged_swaps {
    auto const& intervals = problem.intervals();
    for (;;) {
        auto now = judge_swaps(problem, plan, options);
        if (now.result.feasible) return now;
        auto const row = now.result.first_overfull;
        std::optional<std::size_t> oldest;
        auto const last_use = [&](std::size_t i) {  // before the row
            auto const use = static_cast<std::int64_t>(intervals[i].last_use);
            return intervals[i].wraps && row < intervals[i].next_use
                       ? use - static_cast<std::int64_t>(problem.row_count())
                       : use;
        };
        for (std::size_t i = 0; i < intervals.size(); ++i)
            if (plan[i] == swap_choice::keep && intervals[i].may_be_absent(row) &&
                (!oldest || last_use(i) < last_use(*oldest)))
                oldest = i;
        if (!oldest) return now;
        plan[*oldest] = swap_choice::offload;
    }
}

struct superneurons_swaps_fn {
    template <std::predicate<computation_index> Cheap>
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options, superneurons_mode mode,
                                  Cheap const& is_cheap) const -> judged_swaps {
        auto plan = problem.keep_all();
        if (mode != superneurons_mode::swapping) {
            auto const crosses = crosses_peak(problem);
            for (std::size_t i = 0; i < plan.size(); ++i) {
                auto const& interval = problem.intervals()[i];
                if (interval.is_removable && crosses(interval) && std::invoke(is_cheap, interval.producer))
                    plan[i] = swap_choice::remove;
            }
        }
        if (mode == superneurons_mode::recomputing) return judge_swaps(problem, std::move(plan), options);
        return evict_least_recent(problem, std::move(plan), options);
    }
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options,
                                  superneurons_mode mode) const -> judged_swaps {
        return (*this)(problem, options, mode, cheaper_than_mean(problem));
    }
};

struct tflms_swaps_fn {
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options) const -> judged_swaps {
        auto const& intervals = problem.intervals();
        std::vector<std::size_t> longest;
        for (std::size_t i = 0; i < intervals.size(); ++i) longest.push_back(i);
        auto const length = [&](std::size_t i) {
            auto const& rows = problem.iteration().rows;
            auto const apart = rows[intervals[i].next_use].begin - rows[intervals[i].last_use].begin;
            return intervals[i].wraps ? apart + problem.iteration().duration : apart;
        };
        std::ranges::stable_sort(longest, std::ranges::greater{}, length);
        // The number of variables is set by hand there: here the least with which it fits, as more cost more.
        auto const plan_of = [&](std::size_t count) {
            auto plan = problem.keep_all();
            for (std::size_t k = 0; k < count; ++k) plan[longest[k]] = swap_choice::offload;
            return plan;
        };
        auto const fits = [&](std::size_t count) { return simulate_swaps(problem, plan_of(count), options).feasible; };
        std::size_t low = 0, high = longest.size();
        while (low < high) {
            auto const middle = low + (high - low) / 2;
            fits(middle) ? high = middle : low = middle + 1;
        }
        judged_swaps best;
        for (auto const lookahead : std::array<std::size_t, 4>{1, 4, 16, 64}) {
            auto with = options;
            with.lookahead = lookahead;
            keep_better(best, judge_swaps(problem, plan_of(low), with));
        }
        return best;
    }
};

struct vdnn_swaps_fn {
    template <std::predicate<computation_index> Cheap>
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options options, vdnn_mode mode,
                                  Cheap const& is_cheap) const -> judged_swaps {
        options.lookahead = 1;
        options.wait_after_use = true;
        auto const crosses = crosses_peak(problem);
        auto plan = problem.keep_all();
        for (std::size_t i = 0; i < plan.size(); ++i) {
            auto const& interval = problem.intervals()[i];
            auto const by = problem.iteration().rows[interval.last_use].computation;
            if (crosses(interval) && (mode == vdnn_mode::all || !std::invoke(is_cheap, by)))
                plan[i] = swap_choice::offload;
        }
        return judge_swaps(problem, std::move(plan), options);
    }
    [[nodiscard]] auto operator()(swap_problem const& problem, swap_options const& options, vdnn_mode mode) const
        -> judged_swaps {
        return (*this)(problem, options, mode, cheaper_than_mean(problem));
    }
};

}  // namespace detail

/// MXNet-memonger: of the values that a forward pass leaves to the backward pass, in their order, one of each segment
/// is kept and the others are removed; a grid of lengths of segments, from 2 to one segment of all. The fastest that
/// fits, else that of the least memory.  O(log n) simulations.
inline constexpr detail::memonger_swaps_fn memonger_swaps{};

/// SuperNeurons. Swapping: the device is a cache; where a row does not fit, the variable that was used least recently
/// is offloaded. Recomputing: what cheap computations wrote is removed, whatever the limit. `is_cheap(computation)`
/// decides; without it, `cheaper_than_mean`.  O(offloads) simulations.
inline constexpr detail::superneurons_swaps_fn superneurons_swaps{};

/// TFLMS: the variables with the longest reuse intervals are offloaded, as few as let the rest fit, and copied in 1, 4,
/// 16 or 64 computations before their use, whichever is fastest.  O(log n) simulations.
inline constexpr detail::tflms_swaps_fn tflms_swaps{};

/// vDNN: what crosses the fullest row is offloaded with its last use, all of it or the inputs of what is not cheap,
/// whatever the limit; computing waits for each copy out, and copies in begin one computation ahead.  One simulation.
inline constexpr detail::vdnn_swaps_fn vdnn_swaps{};

}  // namespace repebble::inline v0

#endif
