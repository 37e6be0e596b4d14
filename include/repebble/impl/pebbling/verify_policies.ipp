#ifndef REPEBBLE_IMPL_PEBBLING_VERIFY_POLICIES_IPP
#define REPEBBLE_IMPL_PEBBLING_VERIFY_POLICIES_IPP

#include <repebble/pebbling/verify_policies.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/dataflow/detail/describe.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto policy_referee::fault_of(schedule<> const& plan) && -> std::optional<std::string> {
    for (std::size_t k = 0; k < plan.steps.size(); ++k)
        if (auto fault = fault_of(plan.steps[k])) return "step " + std::to_string(k) + ": " + *fault;
    if (!crossed_ && !clear_) return resident_fault();
    return std::nullopt;
}

REPEBBLE_INLINE auto policy_referee::fault_of(step<> const& s) -> std::optional<std::string> {
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

REPEBBLE_INLINE auto policy_referee::compute(step<> const& s) -> std::optional<std::string> {
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

REPEBBLE_INLINE void policy_referee::set(std::vector<bool>& where, value_index x, bool is) {
    bool const before = device_[x] || host_[x];
    where[x] = is;
    if (!marks_.recomputed[x] || before == (device_[x] || host_[x])) return;
    before ? --resident_ : ++resident_;
}

REPEBBLE_INLINE auto policy_referee::resident_fault() const -> std::string {
    value_index x = 0;
    while (!marks_.recomputed[x] || !(device_[x] || host_[x])) ++x;
    return describe(flow_, x) + " must be recomputed, and is kept for the backward pass";
}

}  // namespace repebble::inline v0::detail

#endif
