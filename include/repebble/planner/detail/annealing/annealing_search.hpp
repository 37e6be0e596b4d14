#ifndef REPEBBLE_PLANNER_DETAIL_ANNEALING_ANNEALING_SEARCH_HPP
#define REPEBBLE_PLANNER_DETAIL_ANNEALING_ANNEALING_SEARCH_HPP

// All annealing for one budget: first walks from several starts, then the memetic search (`memetic_search`) until the
// work or the time is spent. With a time limit and threads it also runs beside the bounds. Invariant: without a time
// limit the result does not depend on the number of threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/annealing/memetic_search.hpp>
#include <repebble/planner/detail/annealing/parallel_walks.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/usual_work.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

/// Start sequences by source; `take` selects a few of each.
class start_pool {
  public:
    explicit start_pool(planning_model const& m) : m_(m) {}

    void add_repaired(std::vector<operation_index> computations) { repaired_.push_back(std::move(computations)); }
    void add_for_less(std::vector<operation_index> const& computations) { tighter_.push_back(computations); }
    /// Replaces the sequence that several cuts led to before.
    void set_chained(std::vector<operation_index> computations) { multi_cut_ = std::move(computations); }

    /// Returns a few starts (`effort.most_starts`) and removes all: the fastest repaired ones, that of several cuts,
    /// some for a tighter budget, evenly, and `last`.  O(starts · n).
    [[nodiscard]] auto take(std::vector<operation_index> last) -> std::vector<std::vector<operation_index>>;

  private:
    planning_model const& m_;
    std::vector<std::vector<operation_index>> repaired_;
    std::vector<std::vector<operation_index>> tighter_;
    std::vector<operation_index> multi_cut_;
};

/// The annealing of one budget. Where moves are few for so many operations, two cool stages instead of a memetic
/// search.
class annealing_search {
  public:
    /// Refers to all of them; `found` hears of sequences.
    annealing_search(planning_model const& m, bytes budget, plan_options const& options, listener const& hears,
                     deadline& clock, incumbent& found)
        : m_(m),
          budget_(budget),
          options_(options),
          hears_(hears),
          clock_(clock),
          found_(found),
          generations_(m, options.seed) {}

    /// The moves in all, at most.
    [[nodiscard]] auto moves() const -> std::size_t {
        if (options_.limits.work) return *options_.limits.work;
        if (options_.limits.seconds) return std::numeric_limits<std::size_t>::max();
        return usual_moves(m_);
    }

    /// Calls work(). Where time is limited, moves are not, and there is a second thread, that one meanwhile walks from
    /// the best sequence, or from `start`, which need not be within the budget. The walks do not hear of what the work
    /// finds, nor the listener of what the walks find until they end. Called before `begin`, which has more starts.
    void start_beside(std::vector<operation_index> start, function_ref<void()> work) {
        if (options_.limits.work || !can_walk_beside()) return work();
        last_start_ = std::move(start);
        walk_beside(work);
    }
    /// Runs the first walks from the starts, which need not be within the budget; and from `other`, which is, unless
    /// it is empty; where moves are few, from the last one and from that only.  Requires: a start.
    void begin(std::vector<std::vector<operation_index>> starts, std::vector<operation_index> other = {});
    /// Goes on until that share of the time limit is over, all moves are made, or the plan is good enough.
    void go_on(double until) {
        if (!brief_.empty()) return run_brief(1);
        if (auto const* best = found_.best()) generations_.add(best->computations, found_.time());
        search([&](annealing_stage const& stage) { return run(stage, until); }, [&] { return is_over(until); });
    }
    /// Calls work() and goes on beside it, as `start_beside` does; after `begin`.
    void go_on_beside(function_ref<void()> work) {
        if (last_start_.empty() || !can_walk_beside()) return work();
        walk_beside(work);
    }

  private:
    [[nodiscard]] auto can_walk_beside() const -> bool {
        return options_.limits.seconds && options_.threads > 1 && !is_brief(m_, moves_expected()) && !is_over(1);
    }
    void walk_beside(function_ref<void()> work);
    [[nodiscard]] auto is_over(double until) const -> bool {
        return clock_.is_over(until) || is_spent() || found_.is_enough(found_.time());
    }
    [[nodiscard]] auto is_spent() const -> bool { return moved_ >= static_cast<double>(moves()); }
    [[nodiscard]] auto moves_expected() const -> double {
        constexpr double most = 1e15, most_seconds = 1e9;
        auto const by_time = options_.limits.seconds.value_or(most_seconds) * m_.effort.moves_per_second;
        return std::clamp(std::min(static_cast<double>(moves()), by_time), 1.0, most);
    }
    /// Runs the memetic search; run(stage) walks a stage.
    void search(function_ref<walk_results(annealing_stage const&)> run, stop_test is_over) {
        auto const share_left = [&] { return (static_cast<double>(moves()) - moved_) / moves_expected(); };
        generations_.search(moves_expected(), run, is_over, share_left);
    }
    void run_brief(std::size_t k) {
        if (k >= brief_.size() || is_over(1)) return;
        auto const seconds = options_.limits.seconds
                                 ? std::optional(*options_.limits.seconds * m_.effort.brief_time_share)
                                 : std::nullopt;
        static_cast<void>(run(brief_[k], 1, moves(), seconds));
    }
    auto run(annealing_stage const& stage, double until) -> walk_results {
        return run(stage, until, static_cast<std::size_t>(moves_expected()), std::nullopt);
    }
    /// Walks a stage, whose shares are of so many moves and seconds.
    auto run(annealing_stage const& stage, double until, std::size_t moves, std::optional<double> seconds)
        -> walk_results;
    /// Counts the moves that were made of a stage.
    void note(annealing_stage const& stage, double moves) {
        moved_ += moves;
        for (auto const& island : stage) walks_ += island.size();
    }
    /// The share of the work that is done after so many moves.
    [[nodiscard]] auto progress(double moved) const -> double {
        auto const by_moves = moved / static_cast<double>(moves());
        auto const by_time = options_.limits.seconds ? clock_.seconds() / std::max(1e-9, *options_.limits.seconds) : 0;
        return std::min(1.0, std::max(by_moves, by_time));
    }

    planning_model const& m_;
    bytes budget_;
    plan_options const& options_;
    listener const& hears_;
    deadline& clock_;
    incumbent& found_;
    memetic_search generations_;
    std::vector<operation_index> last_start_;
    std::vector<annealing_stage> brief_;
    double moved_ = 0;         // of all moves
    std::uint64_t walks_ = 0;  // that were begun
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/annealing/annealing_search.ipp>
#endif

#endif
