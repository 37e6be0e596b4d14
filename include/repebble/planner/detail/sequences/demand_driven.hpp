#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_DEMAND_DRIVEN_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_DEMAND_DRIVEN_HPP

// Demand-driven completion of a sequence: an operation runs after recursive recomputation of its missing inputs (lazy
// recomputation, as in checkpointing runtimes). Cuts and repairs use it to turn a choice of checkpoints into a
// sequence.

#include <cstddef>
#include <ranges>
#include <vector>

#include <repebble/detail/run_with_inputs.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// A sequence under construction, with the operations that have run and the values that are resident.
class demand_driven {
  public:
    explicit demand_driven(planning_model const& m)
        : model_(&m), ran_(m.operation_count(), false), resident_(m.value_count(), false) {}

    [[nodiscard]] auto operations() const noexcept -> std::vector<operation_index> const& { return operations_; }
    [[nodiscard]] auto ran() const noexcept -> std::vector<bool> const& { return ran_; }
    [[nodiscard]] auto is_resident(value_index x) const -> bool { return resident_[x]; }
    void set_resident(value_index x, bool is) { resident_[x] = is; }

    void run(operation_index v) {
        operations_.push_back(v);
        ran_[v] = true;
        if (model_->ended.item_count() > 0)
            for (auto const x : model_->ended[v]) resident_[x] = false;
        for (auto const x : model_->writes[v]) resident_[x] = true;
    }
    /// Runs v after its missing inputs, each recomputed recursively before its reader, the last one first (repairs of
    /// tight budgets are some tenths of a point faster than with the first one first). Calls ran_now(u) after each run
    /// of u. Returns false where the sequence exceeds `limit` steps.
    template <class RanNow>
    auto run_with_inputs(operation_index v, std::size_t limit, RanNow&& ran_now) -> bool {
        auto const& m = *model_;
        auto const note = [&](operation_index w) {
            run(w);
            if (operations_.size() > limit) return false;
            ran_now(w);
            return true;
        };
        return detail::run_with_inputs(
            v, m.operation_count(), pending_, [&](operation_index w) { return m.reads[w] | std::views::reverse; },
            [&](value_index x) { return resident_[x]; }, [&](value_index x) { return m.producers[x].front(); }, note);
    }

  private:
    planning_model const* model_;
    std::vector<operation_index> operations_, pending_;
    std::vector<bool> ran_;       // by operation
    std::vector<bool> resident_;  // by value
};

}  // namespace repebble::inline v0::detail

#endif
