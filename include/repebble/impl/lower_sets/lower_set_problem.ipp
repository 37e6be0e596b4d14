#ifndef REPEBBLE_IMPL_LOWER_SETS_LOWER_SET_PROBLEM_IPP
#define REPEBBLE_IMPL_LOWER_SETS_LOWER_SET_PROBLEM_IPP

#include <repebble/lower_sets/lower_set_problem.hpp>

#include <numeric>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto lower_set_sequence::lower_sets() const -> std::vector<vertex_set> {
    std::vector<vertex_set> sets;
    vertex_set current(segment.size());
    std::vector<std::vector<std::uint32_t>> members(count);
    for (std::uint32_t v = 0; v < segment.size(); ++v) members.at(segment[v]).push_back(v);
    for (auto const& part : members) {
        for (auto const v : part) current.insert(v);
        sets.push_back(current);
    }
    return sets;
}

REPEBBLE_INLINE auto lower_set_sequence::of(std::vector<vertex_set> const& sets, std::size_t n) -> lower_set_sequence {
    lower_set_sequence sequence{std::vector<std::uint32_t>(n, 0), 0};
    vertex_set before(n);
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (sets[i].universe() != n)
            detail::raise(bad_graph("lower set " + std::to_string(i) + " is a set of " +
                                    std::to_string(sets[i].universe()) + " vertices, the graph has " +
                                    std::to_string(n)));
        if (!before.is_subset_of(sets[i]))
            detail::raise(bad_graph("lower set " + std::to_string(i) + " does not contain the one before it"));
        if (before == sets[i]) continue;
        (sets[i] - before).for_each([&](std::size_t v) {
            sequence.segment[v] = static_cast<std::uint32_t>(sequence.count);
        });
        ++sequence.count;
        before = sets[i];
    }
    if (before.size() != n) detail::raise(bad_graph("the sequence of lower sets does not end with V"));
    return sequence;
}

REPEBBLE_INLINE auto detail::lower_set_problem_of(dataflow const& flow, std::span<operation_index const> operations,
                                                  csr_graph graph) -> lower_set_problem {
    lower_set_problem problem{std::move(graph), {}, {}, vertex_set(operations.size())};
    problem.time.reserve(operations.size());
    problem.memory.reserve(operations.size());
    bytes total = 0;
    for (std::size_t v = 0; v < operations.size(); ++v) {
        bytes memory = 0;
        for (auto const value : flow.writes(operations[v])) memory += flow.size(value);
        total = checked_add(total, memory, "bytes of all values");
        problem.time.push_back(flow.time(operations[v]));
        problem.memory.push_back(memory);
        if (!flow.recomputable(operations[v])) problem.pinned.insert(v);
    }
    static_cast<void>(checked_multiply(total, bytes{5}));  // no sum in formula (2) is greater
    return problem;
}

REPEBBLE_INLINE auto make_lower_set_problem(dataflow const& flow) -> lower_set_problem {
    std::vector<operation_index> all(flow.operation_count());
    std::iota(all.begin(), all.end(), operation_index{0});
    return detail::lower_set_problem_of(flow, all, flow.graph());
}

}  // namespace repebble::inline v0

#endif
