#ifndef REPEBBLE_IMPL_GRAPH_LOWER_SETS_CLOSE_LOWER_SETS_IPP
#define REPEBBLE_IMPL_GRAPH_LOWER_SETS_CLOSE_LOWER_SETS_IPP

#include <repebble/graph/lower_sets/detail/close_lower_sets.hpp>

#include <cstdint>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto close_lower_sets_fn::operator()(std::vector<vertex_set> const& sets, std::size_t limit,
                                                     stop_test stop) const -> std::vector<vertex_set> {
    collection found(limit, stop);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets[i].universe() != sets.front().universe())
            raise(bad_graph("set " + std::to_string(i) + " is of " + std::to_string(sets[i].universe()) +
                            " vertices, the first of " + std::to_string(sets.front().universe())));
        found.insert(sets[i]);
    }
    // Intersections of the given sets first, then unions of those; by distributivity that is the whole closure.
    auto const given = found.all();
    found.combine(given, [](vertex_set a, vertex_set const& b) { return a &= b; });
    auto const meets = found.all();
    found.combine(meets, [](vertex_set a, vertex_set const& b) { return a |= b; });
    return std::move(found).all();
}

REPEBBLE_INLINE void close_lower_sets_fn::collection::insert(vertex_set set) {
    if (all_.size() >= limit_) return;
    all_.push_back(std::move(set));
    if (!known_.insert(all_.size() - 1).second) all_.pop_back();
}

REPEBBLE_INLINE auto close_lower_sets_fn::collection::hash::operator()(std::size_t i) const -> std::size_t {
    std::uint64_t value = 0;
    for (auto const word : (*sets)[i].words()) {
        value = (value ^ word) * 0x9e3779b97f4a7c15U;
        value ^= value >> 32U;
    }
    return value;
}

}  // namespace repebble::inline v0::detail

#endif
