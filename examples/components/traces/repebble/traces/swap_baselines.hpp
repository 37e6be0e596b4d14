#ifndef REPEBBLE_TRACES_SWAP_BASELINES_HPP
#define REPEBBLE_TRACES_SWAP_BASELINES_HPP

// The systems with which Chen, section 5.1, compares, as plans in the same simulator (point 31): MXNet-memonger
// (T. Chen, B. Xu, C. Zhang, C. Guestrin 2016), SuperNeurons (Wang et al. 2018) in three modes, TFLMS (Le et al. 2018),
// and vDNN (Rhu et al. 2016), the first of the kind. Each does what its paper says on the intervals of a trace, whether
// or not that fits the limit; `random choice` is play_episode.hpp's.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <repebble/traces/judged_swaps.hpp>
#include <repebble/traces/simulate_swaps.hpp>
#include <repebble/traces/swap_problem.hpp>

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

/// Offloads, at the first row that does not fit, the variable that was used least recently; and so on.
[[nodiscard]] auto evict_least_recent(swap_problem const& problem, swap_plan plan, swap_options const& options)
    -> judged_swaps;

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
[[nodiscard]] auto memonger_swaps(swap_problem const& problem, swap_options const& options) -> judged_swaps;

/// SuperNeurons. Swapping: the device is a cache; where a row does not fit, the variable that was used least recently
/// is offloaded. Recomputing: what cheap computations wrote is removed, whatever the limit. `is_cheap(computation)`
/// decides; without it, `cheaper_than_mean`.  O(offloads) simulations.
inline constexpr detail::superneurons_swaps_fn superneurons_swaps{};

/// TFLMS: the variables with the longest reuse intervals are offloaded, as few as let the rest fit, and copied in 1, 4,
/// 16 or 64 computations before their use, whichever is fastest.  O(log n) simulations.
[[nodiscard]] auto tflms_swaps(swap_problem const& problem, swap_options const& options) -> judged_swaps;

/// vDNN: what crosses the fullest row is offloaded with its last use, all of it or the inputs of what is not cheap,
/// whatever the limit; computing waits for each copy out, and copies in begin one computation ahead.  One simulation.
inline constexpr detail::vdnn_swaps_fn vdnn_swaps{};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/swap_baselines.ipp>
#endif

#endif
