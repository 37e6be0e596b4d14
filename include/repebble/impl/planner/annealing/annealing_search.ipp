#ifndef REPEBBLE_IMPL_PLANNER_ANNEALING_ANNEALING_SEARCH_IPP
#define REPEBBLE_IMPL_PLANNER_ANNEALING_ANNEALING_SEARCH_IPP

#include <repebble/planner/detail/annealing/annealing_search.hpp>

#include <algorithm>
#include <cstddef>

#include <repebble/detail/joining_thread.hpp>
#include <repebble/detail/run_beside.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/annealing/cooling_plan.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto start_pool::take(std::vector<operation_index> last) -> std::vector<std::vector<operation_index>> {
    auto const most_starts = m_.effort.most_starts;
    std::ranges::sort(repaired_, {}, [&](auto const& c) { return std::pair(sequence_time(m_, c), c.size()); });
    auto const same = std::ranges::unique(repaired_);
    repaired_.erase(same.begin(), same.end());
    repaired_.resize(std::min(repaired_.size(), m_.effort.most_repaired_starts));
    auto all = std::exchange(repaired_, {});
    if (!multi_cut_.empty()) all.push_back(std::exchange(multi_cut_, {}));
    auto const tighter = std::exchange(tighter_, {});
    auto const more = std::min(tighter.size(), most_starts - 1 - std::min(most_starts - 1, all.size()));
    for (std::size_t k = 0; k < more; ++k) all.push_back(tighter[(2 * k + 1) * tighter.size() / (2 * more)]);
    all.push_back(std::move(last));
    return all;
}

REPEBBLE_INLINE void annealing_search::begin(std::vector<std::vector<operation_index>> starts, std::vector<operation_index> other) {
    auto const many = m_.effort.hot_moves_per_operation;
    last_start_ = starts.back();
    if (is_brief(m_, moves_expected())) {
        brief_ = brief_stages(m_, budget_, std::move(starts.back()), std::move(other), moves_expected());
        run_brief(0);
        return;
    }
    if (!other.empty()) starts.push_back(std::move(other));
    auto stage = first_stage(m_, std::move(starts), moves_expected());
    if (moves_expected() > many * static_cast<double>(m_.operation_count() + 1) &&
        !m_.without.contains(technique::hot_walks))
        for (auto& island : generations_.hot_walks(moves_expected())) stage.push_back(std::move(island));
    generations_.add(run(stage, 1));
}

REPEBBLE_INLINE void annealing_search::walk_beside(function_ref<void()> work) {
    auto const is_good = found_.enough();
    walked_sequence best{last_start_};
    if (auto const* known = found_.best()) {
        best = {known->computations, found_.time()};
        generations_.add(*best.computations, best.time);
    }
    run_beside(work, [&](stop_flag const& stop) {
        auto const is_over = [&] {
            return stop.stop_requested() || *clock_.left() <= 0 || is_spent() || is_good(best.time);
        };
        auto const run_beside = [&](annealing_stage const& stage) {
            walk_limits const asked{.moves = static_cast<std::size_t>(moves_expected()),
                                    .seconds_left = *clock_.left(),
                                    .seed = options_.seed + walks_,
                                    .threads = options_.threads - 1};
            auto walked = run_walks(m_, budget_, stage, *best.computations, asked, is_good,
                                    [&](auto, double) { return stop.stop_requested(); });
            for (auto const& one : walked.found)
                if (one.time < best.time) best = one;
            note(stage, walked.share * moves_expected());
            return walked;
        };
        if (walks_ == 0) generations_.add(run_beside(early_stage(m_, *best.computations, moves_expected())));
        search(run_beside, is_over);
    });
    found_.consider("annealing", budget_, best.time, *best.computations);
}

REPEBBLE_INLINE auto annealing_search::run(annealing_stage const& stage, double until, std::size_t moves,
                                           std::optional<double> seconds) -> walk_results {
    walk_limits work{
        .moves = moves, .seconds = seconds, .seed = options_.seed + walks_, .threads = options_.threads};
    if (options_.limits.seconds) work.seconds_left = *options_.limits.seconds * until - clock_.seconds();
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
    return found;
}

}  // namespace repebble::inline v0::detail

#endif
