#ifndef REPEBBLE_RECOMPUTE_ANNEALING_SEARCH_HPP
#define REPEBBLE_RECOMPUTE_ANNEALING_SEARCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <repebble/detail/random_source.hpp>
#include <repebble/detail/work_beside.hpp>
#include <repebble/recompute/annealing_islands.hpp>
#include <repebble/recompute/annealing_stages.hpp>
#include <repebble/recompute/incumbent.hpp>
#include <repebble/recompute/plan_options.hpp>
#include <repebble/recompute/search_clock.hpp>
#include <repebble/recompute/sequence_population.hpp>
#include <repebble/recompute/success_rates.hpp>

namespace repebble::detail {

/// All annealing for one budget: a walk from each of some starts, and then, as long as there is work or time left,
/// short walks from children of what these found (`sequence_population`), a generation of them side by side; and longer
/// ones, in which what costs much may not run as often, where the others find nothing. Where moves are few for so many
/// operations, two cool walks instead.
template <class Observer>
class annealing_search {
  public:
    /// `found` is told what is found; all are referred to.
    annealing_search(search_model const& m, bytes budget, plan_options const& options, Observer& observer,
                     search_clock<Observer>& clock, incumbent<Observer>& found)
        : m_(m),
          budget_(budget),
          options_(options),
          observer_(observer),
          clock_(clock),
          found_(found),
          population_(m),
          random_(options.seed) {}

    /// Moves of all that is to come at most.
    [[nodiscard]] auto moves() const -> std::size_t {
        if (options_.moves) return *options_.moves;
        if (options_.time_limit) return std::numeric_limits<std::size_t>::max();
        return usual_moves(m_.operation_count());
    }

    /// Walks from the starts, which need not be within the budget: from the last one where moves are few.
    /// Requires: there is one.
    void begin(std::vector<std::vector<operation_index>> starts) {
        constexpr std::size_t fewest_walks = 6;
        constexpr double most_share = 0.3, most_moves = 90, least_moves = 10'000, many = 2500;
        last_start_ = starts.back();
        if (is_brief(m_.operation_count(), moves_expected())) {
            brief_ = brief_stages(m_, budget_, std::move(starts.back()), moves_expected());
            run_brief(0);
            return;
        }
        auto const given = starts.size();
        for (std::size_t k = 0; starts.size() < fewest_walks; ++k) starts.push_back(starts[k % given]);
        auto const walks = static_cast<double>(starts.size());
        auto const walk = std::min(moves_expected() * most_share / walks, std::max(most_moves * n(), least_moves));
        auto stage = first_stage(std::move(starts), walk / moves_expected());
        if (moves_expected() > many * n())
            for (auto& island : hot_walks()) stage.push_back(std::move(island));
        populate(run(stage, 1));
    }
    /// Goes on until that share of the time limit is over, or all moves are made, or nothing better is wanted. Where
    /// many children in a row are no better than their parents, all but the best go, and hot walks bring others.
    void go_on(double until) {
        if (!brief_.empty()) return run_brief(1);
        if (auto const* best = found_.best()) population_.add(best->computations, found_.time());
        search([&](annealing_stage const& stage) { return run(stage, until); }, [&] { return is_over(until); });
    }
    /// Does work() and, where time is limited and there are threads for that, goes on beside it as long as that takes:
    /// not before `begin`. What the work finds is not known to the walks meanwhile, and the observer hears afterwards
    /// of what they find.
    template <class Work>
    void go_on_beside(Work&& work) {
        bool const can_walk = options_.time_limit && options_.threads > 1 && !last_start_.empty() && brief_.empty();
        if (!can_walk || is_over(1)) return work();
        auto const known = found_;
        annealed_sequence best{last_start_};
        if (known.best()) {
            best = {known.best()->computations, known.time()};
            population_.add(*best.computations, best.time);
        }
        work_beside(work, [&](std::stop_token const& stop) {
            auto const is_enough = [&](std::int64_t time) { return known.is_enough(time); };
            auto const run_beside = [&](annealing_stage const& stage) {
                annealing_work const asked{.moves = static_cast<std::size_t>(moves_expected()),
                                           .seed = options_.seed + walks_,
                                           .threads = options_.threads - 1};
                auto walked = anneal_islands(m_, budget_, stage, *best.computations, asked, is_enough,
                                             [&](auto, double) { return stop.stop_requested(); });
                for (auto const& one : walked.found)
                    if (one.time < best.time) best = one;
                note(stage);
                return walked;
            };
            search(run_beside, [&] { return stop.stop_requested() || is_spent() || is_enough(best.time); });
        });
        found_.consider("annealing", budget_, best.time, *best.computations);
    }

  private:
    [[nodiscard]] auto n() const -> double { return static_cast<double>(m_.operation_count() + 1); }
    [[nodiscard]] auto is_over(double until) const -> bool {
        return clock_.is_over(until) || is_spent() || (found_.best() && found_.is_enough(found_.time()));
    }
    [[nodiscard]] auto is_spent() const -> bool { return moved_ >= static_cast<double>(moves()); }
    [[nodiscard]] auto moves_expected() const -> double {
        constexpr double a_second = 400'000, most = 1e15;  // at least half of it, mostly
        return std::clamp(std::min(static_cast<double>(moves()), options_.time_limit.value_or(1e9) * a_second), 1.0,
                          most);
    }
    [[nodiscard]] auto hot_walks() -> annealing_stage {
        constexpr double usual = 0.15, least = 750, most = 3000;  // share of all moves; moves for each operation
        auto const share = std::clamp(usual, least * n() / moves_expected(), most * n() / moves_expected());
        hotter_ = !hotter_;
        return hot_stage(share, !hotter_);
    }
    void populate(annealed_islands walked) {
        for (auto& [computations, time] : walked.found)
            if (computations) population_.add(std::move(*computations), time);
    }
    /// By generations, each of which run(stage) walks.
    template <class Run, class IsOver>
    void search(Run&& run, IsOver&& is_over) {
        auto const patience = std::clamp<std::size_t>(m_.operation_count(), 40, 150);  // children
        while (!is_over()) {
            if (population_.size() == 0 || in_vain_ > patience) {
                population_.keep_best();
                populate(run(hot_walks()));
                in_vain_ = 0;
            } else {
                run_generation(run);
            }
        }
    }
    template <class Run>
    void run_generation(Run&& run) {
        constexpr std::size_t children = 6, few_in_vain = 12;
        constexpr double walk = 10, least_walk = 1500;  // moves for each operation; and at least
        // After some in vain, and where moves are many for each operation, a child spares something by that chance,
        // and walks so many times longer.
        constexpr double sparing = 0.5, longer = 8, many = 3000;
        auto const share = std::max(walk * n(), least_walk) / moves_expected();
        auto const left = (static_cast<double>(moves()) - moved_) / moves_expected() / children;
        bool const can_spare = moves_expected() > many * n();
        std::vector<std::size_t> parents;
        annealing_stage stage;
        for (std::size_t k = 0; k < children; ++k) {
            bool const may_spare = can_spare && in_vain_ >= few_in_vain && random_.chance(sparing);
            auto child = may_spare ? population_.make_sparing_child(random_) : population_.make_child(random_);
            bool const spares = child.spared.has_value();
            parents.push_back(child.parent);
            bool const alone = alone_.draw(random_);
            bool const forward = !alone && forward_.draw(random_);
            stage.push_back({{std::move(child.computations),
                              {spares ? 0.3 : 0.1, 0.02},
                              spares ? std::max(share, std::min(longer * share, left)) : share,
                              {.with_inputs = !alone, .brings_forward = forward, .spared = child.spared}}});
        }
        auto walked = run(stage);
        for (std::size_t k = 0; k < walked.found.size(); ++k) {
            auto& [computations, time] = walked.found[k];
            bool const better = computations && population_.take(parents[k], std::move(*computations), time);
            in_vain_ = better ? 0 : in_vain_ + 1;
            auto const& rules = stage[k].front().rules;
            alone_.note(!rules.with_inputs, better);
            if (rules.with_inputs) forward_.note(rules.brings_forward, better);
        }
    }
    void run_brief(std::size_t k) {
        if (k >= brief_.size() || is_over(1)) return;
        auto const seconds = options_.time_limit ? std::optional(*options_.time_limit * brief_share) : std::nullopt;
        static_cast<void>(run(brief_[k], 1, moves(), seconds));
    }
    auto run(annealing_stage const& stage, double until) -> annealed_islands {
        return run(stage, until, static_cast<std::size_t>(moves_expected()), std::nullopt);
    }
    /// `moves`, `seconds`: of which the stage has shares.
    auto run(annealing_stage const& stage, double until, std::size_t moves, std::optional<double> seconds)
        -> annealed_islands {
        auto const begin = clock_.seconds();
        annealing_work work{
            .moves = moves, .seconds = seconds, .seed = options_.seed + walks_, .threads = options_.threads};
        if (options_.time_limit) work.seconds_left = *options_.time_limit * until - begin;
        auto const all = stage_share(stage) * static_cast<double>(moves);
        auto const look = [&](std::int64_t time, double share) {
            found_.tell(time);
            if constexpr (requires { observer_.progress(share); }) observer_.progress(progress(moved_ + share * all));
            return clock_.is_over(until);
        };
        auto const start = found_.best() ? found_.best()->computations : last_start_;
        auto found = anneal_islands(
            m_, budget_, stage, start, work, [&](auto time) { return found_.is_enough(time); }, look);
        for (auto const& [computations, time] : found.found)
            if (computations) found_.consider("annealing", budget_, time, *computations);
        note(stage);
        // The limit is that of the busiest thread.
        clock_.add(std::max(0.0, found.seconds - (clock_.seconds() - begin)));
        return found;
    }
    /// That it was walked.
    void note(annealing_stage const& stage) {
        moved_ += stage_share(stage) * moves_expected();
        for (auto const& island : stage) walks_ += island.size();
    }
    /// When so many moves are made.
    [[nodiscard]] auto progress(double moved) const -> double {
        auto const by_moves = moved / static_cast<double>(moves());
        auto const by_time = options_.time_limit ? clock_.seconds() / std::max(1e-9, *options_.time_limit) : 0;
        return std::min(1.0, std::max(by_moves, by_time));
    }

    static constexpr double brief_share = 0.7;  // of the time limit

    search_model const& m_;
    bytes budget_;
    plan_options const& options_;
    Observer& observer_;
    search_clock<Observer>& clock_;
    incumbent<Observer>& found_;
    sequence_population population_;
    random_source random_;
    std::vector<operation_index> last_start_;
    std::vector<annealing_stage> brief_;
    std::size_t in_vain_ = 0;  // children since one was better than its parent
    success_rates alone_;      // of children that let go of inputs, too, and of those that let go of values alone
    success_rates forward_;    // of the former, those that bring nothing forward, and those that do
    bool hotter_ = false;      // the next hot walks
    double moved_ = 0;         // of all moves
    std::uint64_t walks_ = 0;  // that were begun
};

}  // namespace repebble::detail

#endif
