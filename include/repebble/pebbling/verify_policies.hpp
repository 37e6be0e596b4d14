#ifndef REPEBBLE_PEBBLING_VERIFY_POLICIES_HPP
#define REPEBBLE_PEBBLING_VERIFY_POLICIES_HPP

// The checker of policies for single values: does a schedule keep them? Plans with policies have passed it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/describe.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

namespace detail {

/// The first policy that a schedule breaks, in one sentence; nothing where it keeps all.
template <quantity Time>
class policy_referee {
  public:
    /// Refers to both.
    policy_referee(dataflow<Time> const& flow, policy_marks const& marks)
        : flow_(flow),
          marks_(marks),
          runs_(flow.operation_count(), 0),
          computed_(flow.value_count(), false),
          device_(flow.value_count(), false),
          host_(flow.value_count(), false) {}

    [[nodiscard]] auto fault_of(schedule<> const& plan) && -> std::optional<std::string> {
        for (std::size_t k = 0; k < plan.steps.size(); ++k)
            if (auto fault = fault_of(plan.steps[k])) return "step " + std::to_string(k) + ": " + *fault;
        if (!crossed_ && !clear_) return resident_fault();
        return std::nullopt;
    }

  private:
    [[nodiscard]] auto fault_of(step<> const& s) -> std::optional<std::string> {
        if (!exists(s.vertex, s.what == action::compute && !s.in_place ? 0 : s.output, s.what != action::compute))
            return "vertex " + std::to_string(s.vertex) + " or its output does not exist";
        if (s.what == action::compute) return compute(s);
        auto const x = flow_.writes(s.vertex)[s.output];
        if (s.what == action::prefetch && marks_.kept[x]) return describe(flow_, x) + " must be kept, and was not";
        if (s.what == action::discard)
            set(s.from == pool::device ? device_ : host_, x, false);
        else
            set(s.what == action::offload ? host_ : device_, x, true);
        clear_ = clear_ || resident_ == 0;
        return std::nullopt;
    }
    [[nodiscard]] auto compute(step<> const& s) -> std::optional<std::string> {
        auto const v = s.vertex;
        auto const outputs = flow_.writes(v);
        bool const is_new =
            runs_[v]++ == 0 && (outputs.empty() || std::ranges::any_of(outputs, [&](auto x) { return !computed_[x]; }));
        bool const forward = !marks_.backward[v] && !flow_.is_input(v);
        if (marks_.backward[v] && !crossed_) {
            if (!clear_) return resident_fault();
            crossed_ = true;
        }
        if (marks_.any_recomputed && crossed_ && forward && is_new)
            return "vertex " + std::to_string(v) + " of the forward pass runs for the first time in the backward pass";
        for (auto const x : flow_.ended(v)) set(device_, x, false);
        if (s.in_place && exists(s.over, s.over_output, true)) set(device_, flow_.writes(s.over)[s.over_output], false);
        for (auto const x : outputs) {
            if (computed_[x] && marks_.kept[x]) return describe(flow_, x) + " must be kept, and is computed again";
            computed_[x] = true;
            set(host_, x, false);
            set(device_, x, true);
        }
        clear_ = resident_ == 0 || (clear_ && !(forward && is_new));
        return std::nullopt;
    }
    [[nodiscard]] auto exists(operation_index v, std::uint32_t output, bool has_output) const -> bool {
        return v < flow_.operation_count() && (!has_output || output < flow_.writes(v).size());
    }
    /// Notes whether the value is in that pool.
    void set(std::vector<bool>& where, value_index x, bool is) {
        bool const before = device_[x] || host_[x];
        where[x] = is;
        if (!marks_.recomputed[x] || before == (device_[x] || host_[x])) return;
        before ? --resident_ : ++resident_;
    }
    [[nodiscard]] auto resident_fault() const -> std::string {
        value_index x = 0;
        while (!marks_.recomputed[x] || !(device_[x] || host_[x])) ++x;
        return describe(flow_, x) + " must be recomputed, and is kept for the backward pass";
    }

    dataflow<Time> const& flow_;
    policy_marks const& marks_;
    std::vector<std::size_t> runs_;               // by operation
    std::vector<bool> computed_, device_, host_;  // by value: whether it ever was computed, and where it is
    std::size_t resident_ = 0;                    // values that must be recomputed and are in a pool
    bool clear_ = true;     // since the last new operation of the forward pass, there was a moment without such values
    bool crossed_ = false;  // the backward pass has begun
};

struct verify_policies_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan, policy_marks const& marks) const
        -> std::optional<std::string> {
        return policy_referee<Time>(flow, marks).fault_of(plan);
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, schedule<> const& plan,
                                  value_policies const& policies) const -> std::optional<std::string> {
        return (*this)(flow, plan, mark_policies(flow, policies));
    }
    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, schedule<> const& plan,
                                  value_policies const& policies) const -> std::optional<std::string> {
        return (*this)(training.flow, plan, mark_policies(training, policies));
    }
};

}  // namespace detail

/// The first policy that a schedule of a dataflow, or of a training graph, breaks, in one sentence with its step and
/// vertex; nothing where it keeps all. Does not check that the schedule is legal: `replay` does. A schedule in terms of
/// a caller's vertices is brought to indices by `map_vertices`.  O(n + m + steps · values per step).  Throws as
/// `mark_policies`.
inline constexpr detail::verify_policies_fn verify_policies{};

}  // namespace repebble::inline v0

#endif
