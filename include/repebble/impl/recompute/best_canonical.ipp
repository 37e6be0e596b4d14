#ifndef REPEBBLE_IMPL_RECOMPUTE_BEST_CANONICAL_IPP
#define REPEBBLE_IMPL_RECOMPUTE_BEST_CANONICAL_IPP

#include <repebble/recompute/best_canonical.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto best_canonical_fn::values_of(planning_graph const& graph, stop_test stop) -> positional_values {
    if (!applies(graph))
        detail::raise(
            bad_graph("canonical schedules are chosen for built training graphs without views of several owners"));
    return positional_values(graph, stop);
}

REPEBBLE_INLINE void best_canonical_fn::check(csr_graph const& g, vertex_set const& set, std::size_t number) {
    auto const fail = [&](std::string const& why) {
        detail::raise(bad_graph("set " + std::to_string(number) + why));
    };
    if (set.universe() != g.vertex_count())
        fail(" is of " + std::to_string(set.universe()) + " vertices, but the forward graph has " +
             std::to_string(g.vertex_count()));
    set.for_each([&](std::size_t v) {
        for (auto const u : g.predecessors(v))
            if (!set.contains(u))
                fail(" is no lower set: it has vertex " + std::to_string(v) + " and lacks " + std::to_string(u) +
                     ", which it reads");
    });
}

REPEBBLE_INLINE auto best_canonical_fn::choose_nothing(canonical_options const& options) -> canonical_choice {
    canonical_choice empty{.lower_sets = 1};
    if (options.budget.value_or(0) < 0) {
        empty.bound = next_above(std::int64_t{});
    } else if (!options.below || std::int64_t{} < *options.below) {
        empty.sequence.emplace();
    }
    return empty;
}

}  // namespace repebble::inline v0::detail

#endif
