#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_EVICTION_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_EVICTION_START_HPP

// Greedy eviction on any dataflow in nearly linear time: the planner's first start, and its last resort within smaller
// budgets. As dynamic tensor rematerialization (Kirisame et al. 2021): evict the value of least recomputation time per
// byte and staleness, among a random sample; here staleness is the distance to the next use, which is known.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Runs the model's order within a budget. Where the next operation does not fit, resident values are evicted, and
/// recomputed with their evicted ancestors where they are read. The victim minimizes time of its recomputation, with
/// evicted ancestors, per byte and per operation until its next use in the order.
class eviction_start {
  public:
    eviction_start(planning_model const& m, bytes budget, std::size_t step_limit);

    /// Returns the sequence; nothing where no value can be evicted, where the sequence exceeds the step limit, or where
    /// `stop()` returns true.
    [[nodiscard]] auto play(stop_test stop) -> std::optional<std::vector<operation_index>>;

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] auto is_resident(value_index x) const -> bool { return place_[x] != none; }

    /// By operation: the last position in the order at which it can run again, before what it reads is overwritten.
    [[nodiscard]] auto last_chances() const -> std::vector<std::size_t>;
    /// The position up to which x is needed once more: for its next reader, or for an evicted value.
    [[nodiscard]] auto needed_at(value_index x) -> std::size_t;
    /// Sets `ancestors_` to the operations that compute x with its evicted ancestors again: the nearest, `most` of
    /// them.
    void find_evicted_ancestors(value_index x, std::size_t most);
    /// Whether x, if it is evicted now, can be computed again when it is needed.
    [[nodiscard]] auto can_return(value_index x) -> bool;
    /// What computes x again is needed until then.
    void lend_for(value_index x);
    /// The operation that computes x again: of several that came in the order by now, the fastest.
    [[nodiscard]] auto producer_of(value_index x) const -> operation_index;
    /// Returns the operation that recomputes x, its inputs pinned; nothing where it may not run again or where the
    /// sequence gets too long.
    auto recomputing(value_index x) -> std::optional<operation_index>;
    auto run(operation_index v) -> bool;
    [[nodiscard]] auto is_useless(value_index x) const -> bool {
        return is_resident(x) && needed_until_[x] <= now_ && pins_[x] == 0;
    }
    void discard(value_index x);

    auto evict_one() -> bool;
    [[nodiscard]] auto eviction_cost(value_index x) -> double {
        auto const next = next_read(x);
        if (next == none) return -static_cast<double>(m_.sizes[x]) / (recompute_time(x) + 1);
        return recompute_time(x) / static_cast<double>(m_.sizes[x]) / static_cast<double>(next - now_ + 1);
    }
    /// Returns the position in the order of the next reader; none where there is none.
    [[nodiscard]] auto next_read(value_index x) -> std::size_t;
    /// Returns the time of recomputing x with the nearest of its evicted ancestors.
    [[nodiscard]] auto recompute_time(value_index x) -> double;

    planning_model const& m_;
    bytes budget_, kept_ = 0;
    std::size_t step_limit_, now_ = 0;
    std::vector<std::size_t> position_;      // by operation, in the order
    bool overwrites_ = m_.ended.item_count() > 0;
    std::vector<std::size_t> runs_until_;    // by operation: it cannot run again beyond that position
    std::vector<std::size_t> needed_until_;  // by value: no operation can read it after that position
    jagged_array<operation_index> readers_;  // by value: readers in the order
    std::vector<value_index> resident_;
    std::vector<std::uint32_t> place_;      // by value: index among resident_
    std::vector<std::uint32_t> pins_;       // by value: pending operations that read it
    std::vector<std::size_t> next_reader_;  // by value
    std::vector<std::size_t> stamps_;       // by operation: the last search for ancestors that found it
    std::size_t stamp_ = 0;
    std::vector<std::size_t> lent_until_;  // by value: an evicted value is computed from it up to that position
    std::vector<operation_index> pending_, ancestors_, operations_;
    split_mix random_{1};
};

/// Returns the fastest of a few runs: discarding at the last use leaves slack beneath the budget, so later runs get
/// more than the budget. stop(again) ends the first run (again = false) or later ones.
[[nodiscard]] auto best_eviction_start(planning_model const& m, bytes budget, std::size_t step_limit,
                                       function_ref<bool(bool)> stop) -> std::optional<std::vector<operation_index>>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/starts/eviction_start.ipp>
#endif

#endif
