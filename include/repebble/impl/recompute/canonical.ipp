#ifndef REPEBBLE_IMPL_RECOMPUTE_CANONICAL_IPP
#define REPEBBLE_IMPL_RECOMPUTE_CANONICAL_IPP

#include <repebble/recompute/canonical.hpp>

#include <utility>
#include <vector>

#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/make_schedule.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto canonical_literal_fn::operator()(planning_graph const& graph, lower_set_sequence const& sequence,
                              bool keep_last) const -> schedule<> {
    if (!graph.formulas_apply())
        detail::raise(
            bad_graph("the literal canonical strategy is defined for built training graphs, not for joint ones"));
    segmented_operations const parts(graph, sequence);
    auto const& flow = graph.flow();
    schedule_builder out(flow);
    vertex_set resident(flow.value_count());
    auto const compute = [&](operation_index v) {
        out.compute(v);
        for (auto const value : flow.writes(v)) resident.insert(value);
    };
    auto const discard = [&](operation_index v, auto&& is_kept) {
        for (auto const value : flow.writes(v)) {
            if (!resident.contains(value) || is_kept(value)) continue;
            out.discard(value);
            resident.erase(value);
        }
    };
    auto const nothing = [](value_index) { return false; };

    for (std::size_t i = 0; i < sequence.count; ++i) {
        for (auto const v : parts.forward[i]) compute(v);
        if (keep_last && i + 1 == sequence.count) break;
        for (auto const v : parts.forward[i])
            if (!parts.kept.contains(v)) discard(v, nothing);
    }
    for (std::size_t i = sequence.count; i-- > 0;) {
        for (auto const v : parts.forward[i]) {
            bool is_resident = true;
            for (auto const value : flow.writes(v)) is_resident = is_resident && resident.contains(value);
            if (!is_resident) compute(v);
        }
        for (auto const v : parts.backward[i]) compute(v);
        end_of_segment(graph, parts, i, discard);
    }
    return std::move(out).finish();
}

REPEBBLE_INLINE auto canonical_until(planning_graph const& graph, lower_set_sequence const& sequence, stop_test stop)
    -> std::optional<schedule<>> {
    segmented_operations const parts(graph, sequence);
    auto const& flow = graph.flow();
    std::vector<operation_index> computations;
    for (auto const& segment : parts.forward) computations.insert(computations.end(), segment.begin(), segment.end());

    // A value of segment i that is not kept is recomputed where a gradient of segment i or below, or a recomputed
    // operation, reads it.
    vertex_set missing(flow.operation_count());
    auto const ask_for = [&](operation_index reader) {
        for (auto const value : flow.reads(reader))
            for (auto const u : flow.producers(value))
                if (graph.number(u) != graph.none && !parts.kept.contains(u) && parts.segment[u] + 1 < sequence.count)
                    missing.insert(u);
    };
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (graph.number(v) == graph.none) ask_for(v);
    for (std::size_t i = sequence.count; i-- > 0;) {
        for (std::size_t k = parts.forward[i].size(); k-- > 0;)
            if (missing.contains(parts.forward[i][k])) ask_for(parts.forward[i][k]);
        for (auto const v : parts.forward[i])
            if (missing.contains(v)) computations.push_back(v);
        computations.insert(computations.end(), parts.backward[i].begin(), parts.backward[i].end());
    }
    return make_schedule_until(flow, computations, {}, stop);
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto canonical(planning_graph const& graph, lower_set_sequence const& sequence) -> schedule<> {
    return *detail::canonical_until(graph, sequence, detail::never_stop{});
}

}  // namespace repebble::inline v0

#endif
