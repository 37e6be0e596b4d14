#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_GROW_CUTS_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_GROW_CUTS_HPP

// A lower bound from cuts at which a good plan fills the budget: a chain is grown greedily by those cuts that raise its
// bound, and then searched. `plan_guided_bounds` runs it once a good plan is known.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/insert_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/multi_cut_search.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The chain under growth, with the search of the longest chain so far.
class grow_cuts {
  public:
    /// `candidates`: required operations, in the order in which their cuts are tried. `bound`: the bound of the first
    /// cut alone.
    grow_cuts(planning_model const& m, bytes budget, bytes unit, std::vector<operation_index> candidates,
              std::int64_t bound)
        : m_(m),
          budget_(budget),
          unit_(unit),
          candidates_(std::move(candidates)),
          bound_(bound),
          chain_{{m, candidates_.front()}} {}

    /// Grows the chain against plans below `cutoff`, for about so many `flows` over the model of one cut, or until
    /// `stop()` returns true.
    void grow(std::int64_t cutoff, std::size_t flows, stop_test stop) {
        std::size_t done = 0;
        auto const over = [&] { return done >= flows || bound_ >= cutoff || infeasible_ || stop(); };
        for (int round = 0; round < effort::guided_rounds; ++round)
            for (auto const v : candidates_)
                if (chain_.size() < effort::most_guided_cuts && !over()) done += attempt(v, cutoff, flows - done, stop);
    }
    /// Branches in the search of the chain, with limits as `grow`.
    void divide(std::int64_t cutoff, std::size_t flows, stop_test stop) {
        if (!best_ || bound_ >= cutoff || infeasible_) return;
        auto const before = best_->flows();
        best_->branch([&] { return (best_->flows() - before) * chain_.size() > flows || stop(); });
        note(*best_);
    }

    [[nodiscard]] auto bound() const noexcept -> std::int64_t { return bound_; }
    [[nodiscard]] auto infeasible() const noexcept -> bool { return infeasible_; }

  private:
    void note(multi_cut_search const& search) {
        infeasible_ = infeasible_ || search.infeasible();
        if (!infeasible_) bound_ = std::max(bound_, search.bound());
    }
    /// Tries the chain with the cut of v.  Returns the flows over the model of one cut.
    auto attempt(operation_index v, std::int64_t cutoff, std::size_t flows, stop_test stop) -> std::size_t {
        constexpr std::int64_t least_gain = 300;  // the least gain: 1/300 of the gap
        auto longer = insert_cut(chain_, first_run_cut(m_, v));
        if (!longer) return 0;
        auto const cut_count = longer->size();
        multi_cut_search search(*std::move(longer), budget_, unit_, cutoff, effort::guided_root_steps, stop);
        auto const over = [&] { return search.flows() * cut_count >= flows || stop(); };
        search.round_capacities(over);
        search.split_costs(effort::guided_split_steps, over);
        auto const known = best_ ? best_->bound() : bound_;
        note(search);
        if (search.bound() <= known + (cutoff - known) / least_gain) return search.flows() * cut_count;
        chain_ = search.cuts();
        auto const work = search.flows() * cut_count;
        best_.emplace(std::move(search));
        return work;
    }

    planning_model const& m_;
    bytes budget_, unit_;
    std::vector<operation_index> candidates_;
    std::int64_t bound_;
    bool infeasible_ = false;
    std::vector<first_run_cut> chain_;
    std::optional<multi_cut_search> best_;
};

}  // namespace repebble::inline v0::detail

#endif
