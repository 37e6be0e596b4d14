#ifndef REPEBBLE_IMPL_CHAINS_CHAIN_IPP
#define REPEBBLE_IMPL_CHAINS_CHAIN_IPP

#include <repebble/chains/chain.hpp>

#include <algorithm>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE chain_sums::chain_sums(chain const& of) : of_(of) {
    if (of.stages.empty()) detail::raise(bad_graph("a chain has no stage"));
    check_weight(of.input, [] { return std::string("the input of a chain"); });
    check_weight(of.input_gradient, [] { return std::string("the input's gradient of a chain"); });
    auto const n = of.stages.size();
    bytes all = checked_add(of.input, of.input_gradient);
    forward_.assign(1, std::int64_t{});
    std::int64_t worst{};
    for (std::size_t i = 0; i < n; ++i) {
        auto const& s = of.stages[i];
        auto const times = [i] { return "times, up to stage " + std::to_string(i) + ","; };
        auto const sizes = [i] { return "bytes, up to stage " + std::to_string(i) + ","; };
        forward_.push_back(checked_add(forward_.back(), s.forward_time, times));
        once_ = checked_add(once_, checked_add(s.forward_time, s.backward_time, times), times);
        worst = checked_add(worst, forward_.back(), times);
        all = checked_add(all, checked_add(s.output, s.gradient, sizes), sizes);
        for (auto const& tape : s.tapes) {
            all = checked_add(all, tape.saved, sizes);
            all = checked_add(all, std::max<bytes>(0, tape.forward_workspace), sizes);
            all = checked_add(all, std::max<bytes>(0, tape.backward_workspace), sizes);
            worst = checked_add(worst, tape.extra_time, times);
        }
        all = checked_add(all, std::max<bytes>(0, s.workspace), sizes);
        check(i);
    }
    worst_ = worst;
    static_cast<void>(checked_add(worst, once_, "times"));
}

REPEBBLE_INLINE auto chain_sums::forward_bytes(std::size_t i) const -> bytes {
    auto const& s = of_.stages[i];
    bytes least = s.output + s.workspace;
    for (auto const& tape : s.tapes) least = std::min(least, tape.saved + tape.forward_workspace);
    return least;
}

REPEBBLE_INLINE void chain_sums::check(std::size_t i) const {
    auto const& s = of_.stages[i];
    auto const name = [i](char const* what) { return [i, what] { return named(i) + ": " + what; }; };
    check_weight(s.forward_time, name("the forward time"));
    check_weight(s.backward_time, name("the backward time"));
    check_weight(s.output, name("the output's size"));
    check_weight(s.gradient, name("the gradient's size"));
    if (s.tapes.empty()) detail::raise(bad_graph(named(i) + " has no tape"));
    for (auto const& tape : s.tapes) {
        check_weight(tape.extra_time, name("the extra time"));
        if (tape.saved < s.output)
            detail::raise(bad_weight(named(i) + " saves " + std::to_string(tape.saved) + " bytes, its output is " +
                                     std::to_string(s.output)));
        if (tape.saved + tape.forward_workspace < 0)
            too_little(i, "the forward workspace of a tape", tape.forward_workspace);
        if (backward_bytes(i, tape) < 0) too_little(i, "the backward workspace of a tape", tape.backward_workspace);
    }
    if (s.output + s.workspace < 0) too_little(i, "the workspace", s.workspace);
}

}  // namespace repebble::inline v0::detail

#endif
