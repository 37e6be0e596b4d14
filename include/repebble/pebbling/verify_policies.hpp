#ifndef REPEBBLE_PEBBLING_VERIFY_POLICIES_HPP
#define REPEBBLE_PEBBLING_VERIFY_POLICIES_HPP

// The checker of policies for single values: does a schedule keep them? Plans with policies have passed it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// Whether a schedule keeps policies: true where it does.
struct policy_verdict {
    std::optional<std::string> fault{};  ///< the first policy that it breaks, in one sentence with its step and vertex

    /// Whether every policy is kept.
    [[nodiscard]] explicit operator bool() const noexcept { return !fault.has_value(); }
    /// The fault; empty where there is none.
    [[nodiscard]] auto message() const -> std::string { return fault.value_or(""); }
    friend auto operator==(policy_verdict const&, policy_verdict const&) -> bool = default;
};

namespace detail {

/// The first policy that a schedule breaks, in one sentence; nothing where it keeps all.
class policy_referee {
  public:
    /// Refers to both.
    policy_referee(dataflow const& flow, policy_marks const& marks)
        : flow_(flow),
          marks_(marks),
          runs_(flow.operation_count(), 0),
          computed_(flow.value_count(), false),
          device_(flow.value_count(), false),
          host_(flow.value_count(), false) {}

    [[nodiscard]] auto fault_of(schedule<> const& plan) && -> std::optional<std::string>;

  private:
    [[nodiscard]] auto fault_of(step<> const& s) -> std::optional<std::string>;
    [[nodiscard]] auto compute(step<> const& s) -> std::optional<std::string>;
    [[nodiscard]] auto exists(operation_index v, std::uint32_t output, bool has_output) const -> bool {
        return v < flow_.operation_count() && (!has_output || output < flow_.writes(v).size());
    }
    /// Notes whether the value is in that pool.
    void set(std::vector<bool>& where, value_index x, bool is);
    [[nodiscard]] auto resident_fault() const -> std::string;

    dataflow const& flow_;
    policy_marks const& marks_;
    std::vector<std::size_t> runs_;               // by operation
    std::vector<bool> computed_, device_, host_;  // by value: whether it ever was computed, and where it is
    std::size_t resident_ = 0;                    // values that must be recomputed and are in a pool
    bool clear_ = true;     // since the last new operation of the forward pass, there was a moment without such values
    bool crossed_ = false;  // the backward pass has begun
};

}  // namespace detail

/// Whether a schedule of a dataflow, or of a training graph, keeps all policies. Does not check that the schedule is
/// legal: `replay` does. A schedule in terms of a caller's vertices is brought to indices by `map_vertices`.  O(n + m +
/// steps · values per step).  Throws as `mark_policies`.
[[nodiscard]] inline auto verify_policies(dataflow const& flow, schedule<> const& plan, policy_marks const& marks)
    -> policy_verdict {
    return {detail::policy_referee(flow, marks).fault_of(plan)};
}
/// The same.
[[nodiscard]] inline auto verify_policies(dataflow const& flow, schedule<> const& plan, value_policies const& policies)
    -> policy_verdict {
    return verify_policies(flow, plan, detail::mark_policies(flow, policies));
}
/// The same.
[[nodiscard]] inline auto verify_policies(training_graph const& training, schedule<> const& plan,
                                          value_policies const& policies) -> policy_verdict {
    return verify_policies(training.flow, plan, detail::mark_policies(training, policies));
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/verify_policies.ipp>
#endif

#endif
