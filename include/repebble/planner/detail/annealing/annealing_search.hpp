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
#include <repebble/detail/joining_thread.hpp>
#include <repebble/detail/run_beside.hpp>
#include <repebble/detail/thread_clock.hpp>
#include <repebble/planner/detail/annealing/cooling_plan.hpp>
#include <repebble/planner/detail/annealing/memetic_search.hpp>
#include <repebble/planner/detail/annealing/parallel_walks.hpp>
#include <repebble/planner/detail/model/deadline.hpp>
#include <repebble/planner/detail/model/incumbent.hpp>
#include <repebble/planner/detail/model/listener.hpp>
#include <repebble/planner/plan_options.hpp>

namespace repebble::inline v0::detail {

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
        if (options_.moves) return *options_.moves;
        if (options_.time_limit) return std::numeric_limits<std::size_t>::max();
        return usual_moves(m_.operation_count());
    }

    /// Calls work(). Where time is limited, moves are not, and there is a second thread, that one meanwhile walks from
    /// the best sequence, or from `start`, which need not be within the budget. The walks do not hear of what the work
    /// finds, nor the listener of what the walks find until they end. Called before `begin`, which has more starts.
    void start_beside(std::vector<operation_index> start, function_ref<void()> work) {
        if (options_.moves || !can_walk_beside()) return work();
        last_start_ = std::move(start);
        walk_beside(work);
    }
    /// Runs the first walks from the starts, which need not be within the budget; and from `other`, which is, unless
    /// it is empty; where moves are few, from the last one and from that only.  Requires: a start.
    void begin(std::vector<std::vector<operation_index>> starts, std::vector<operation_index> other = {}) {
        constexpr double many = 2500;
        last_start_ = starts.back();
        if (is_brief(m_.operation_count(), moves_expected())) {
            brief_ = brief_stages(m_, budget_, std::move(starts.back()), std::move(other), moves_expected());
            run_brief(0);
            return;
        }
        if (!other.empty()) starts.push_back(std::move(other));
        auto stage = first_stage(std::move(starts), m_.operation_count(), moves_expected());
        if (moves_expected() > many * static_cast<double>(m_.operation_count() + 1) &&
            !m_.without.contains(technique::hot_walks))
            for (auto& island : generations_.hot_walks(moves_expected())) stage.push_back(std::move(island));
        generations_.add(run(stage, 1));
    }
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
        return options_.time_limit && options_.threads > 1 && !is_brief(m_.operation_count(), moves_expected()) &&
               !is_over(1);
    }
    void walk_beside(function_ref<void()> work) {
        auto const is_good = found_.enough();
        walked_sequence best{last_start_};
        if (auto const* known = found_.best()) {
            best = {known->computations, found_.time()};
            generations_.add(*best.computations, best.time);
        }
        auto const begin = clock_.seconds(), most = *clock_.left();
        double spent = 0;
        run_beside(work, [&](stop_flag const& stop) {
            auto const own_begin = thread_clock::now();
            auto const is_over = [&] {
                spent = (thread_clock::now() - own_begin).count();
                return stop.stop_requested() || spent > most || is_spent() || is_good(best.time);
            };
            auto const run_beside = [&](annealing_stage const& stage) {
                walk_limits const asked{.moves = static_cast<std::size_t>(moves_expected()),
                                        .seconds_left = most - spent,
                                        .seed = options_.seed + walks_,
                                        .threads = options_.threads - 1};
                auto walked = run_walks(m_, budget_, stage, *best.computations, asked, is_good,
                                        [&](auto, double) { return stop.stop_requested(); });
                for (auto const& one : walked.found)
                    if (one.time < best.time) best = one;
                note(stage, walked.share * moves_expected());
                return walked;
            };
            if (walks_ == 0)
                generations_.add(run_beside(early_stage(*best.computations, m_.operation_count(), moves_expected())));
            search(run_beside, is_over);
        });
        found_.consider("annealing", budget_, best.time, *best.computations);
        clock_.add(std::max(0.0, spent - (clock_.seconds() - begin)));
    }
    [[nodiscard]] auto is_over(double until) const -> bool {
        return clock_.is_over(until) || is_spent() || found_.is_enough(found_.time());
    }
    [[nodiscard]] auto is_spent() const -> bool { return moved_ >= static_cast<double>(moves()); }
    [[nodiscard]] auto moves_expected() const -> double {
        constexpr double a_second = 400'000, most = 1e15;  // at least half of it, mostly
        return std::clamp(std::min(static_cast<double>(moves()), options_.time_limit.value_or(1e9) * a_second), 1.0,
                          most);
    }
    /// Runs the memetic search; run(stage) walks a stage.
    void search(function_ref<walk_results(annealing_stage const&)> run, stop_test is_over) {
        auto const share_left = [&] { return (static_cast<double>(moves()) - moved_) / moves_expected(); };
        generations_.search(moves_expected(), run, is_over, share_left);
    }
    void run_brief(std::size_t k) {
        if (k >= brief_.size() || is_over(1)) return;
        auto const seconds = options_.time_limit ? std::optional(*options_.time_limit * brief_share) : std::nullopt;
        static_cast<void>(run(brief_[k], 1, moves(), seconds));
    }
    auto run(annealing_stage const& stage, double until) -> walk_results {
        return run(stage, until, static_cast<std::size_t>(moves_expected()), std::nullopt);
    }
    /// Walks a stage, whose shares are of so many moves and seconds.
    auto run(annealing_stage const& stage, double until, std::size_t moves, std::optional<double> seconds)
        -> walk_results {
        auto const begin = clock_.seconds();
        walk_limits work{
            .moves = moves, .seconds = seconds, .seed = options_.seed + walks_, .threads = options_.threads};
        if (options_.time_limit) work.seconds_left = *options_.time_limit * until - begin;
        auto const all = stage_share(stage) * static_cast<double>(moves);
        auto const look = [&](std::int64_t time, double share) {
            found_.tell(time);
            hears_.progress(progress(moved_ + share * all));
            return clock_.is_over(until);
        };
        auto const start = found_.best() ? found_.best()->computations : last_start_;
        auto found = run_walks(
            m_, budget_, stage, start, work, [&](auto time) { return found_.is_enough(time); }, look);
        for (auto const& [computations, time] : found.found)
            if (computations) found_.consider("annealing", budget_, time, *computations);
        note(stage, found.share * static_cast<double>(moves));
        // The time limit is for the busiest thread.
        clock_.add(std::max(0.0, found.seconds - (clock_.seconds() - begin)));
        return found;
    }
    /// Counts the moves that were made of a stage.
    void note(annealing_stage const& stage, double moves) {
        moved_ += moves;
        for (auto const& island : stage) walks_ += island.size();
    }
    /// The share of the work that is done after so many moves.
    [[nodiscard]] auto progress(double moved) const -> double {
        auto const by_moves = moved / static_cast<double>(moves());
        auto const by_time = options_.time_limit ? clock_.seconds() / std::max(1e-9, *options_.time_limit) : 0;
        return std::min(1.0, std::max(by_moves, by_time));
    }

    static constexpr double brief_share = 0.7;  // of the time limit

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

#endif
