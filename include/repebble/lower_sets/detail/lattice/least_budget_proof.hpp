#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_LEAST_BUDGET_PROOF_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_LEAST_BUDGET_PROOF_HPP

// A proof that a sequence has the least budget, by a small induced subgraph around its largest segment: restricted to
// any vertex subset, no term of formula (2) of Kusumoto et al. 2019 grows. Lets passes/exact_curve.hpp end early.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <repebble/graph/csr_graph.hpp>
#include <repebble/lower_sets/detail/lattice/block_arcs.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/detail/lattice/overhead_cutoff.hpp>
#include <repebble/lower_sets/lower_set_family.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/positional_problem.hpp>

namespace repebble::inline v0::detail {

/// Whether a sequence of lower sets fits within a budget, with any overhead.  O(arcs).
[[nodiscard]] inline auto has_sequence_within(lower_set_lattice const& lattice, block_arcs const& arcs, bytes budget)
    -> bool {
    std::vector<bytes> needed(lattice.size(),
                              budget + 1);  // by the remaining segments, earlier cached bytes not counted
    needed.back() = 0;
    for (std::size_t i = lattice.full(); i-- > 0;)
        for (auto const& a : arcs.from(i)) {
            auto const segment = arcs.cost(a);
            needed[i] = std::min(needed[i], std::max(segment.working, needed[a.to] + segment.cached));
        }
    return needed.front() <= budget;
}

/// Whether a small part of the graph proves that no sequence needs less by formula (2) than this one; false proves
/// nothing.
///
/// Restricted to any vertex set W, a sequence of lower sets is one of the graph that W induces, in which no term of
/// formula (2) is greater. So the least budget of that graph is at most that of the whole; around the segment that
/// needs most it is often the same. `effort`: a limit on the lower sets and on the convex sets of a part that are
/// enumerated.
[[nodiscard]] inline auto is_least_budget(lower_set_problem const& problem, positional_problem const& ordered,
                                          lower_set_sequence const& sequence, std::size_t effort) -> bool {
    if (problem.vertex_count() == 0) return true;
    bytes cached = 0;
    bytes most = -1;
    std::size_t greatest = 0;
    lower_set_family const family(problem, sequence.lower_sets());
    for (std::size_t i = 0; i + 1 < family.size(); ++i) {
        auto const segment = family.cost(i, i + 1, false);
        if (cached + segment.working > most) {
            most = cached + segment.working;
            greatest = i;
        }
        cached += segment.cached;
    }
    auto const order = ordered.vertices();
    std::size_t first = order.size();
    std::size_t last = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (sequence.segment[order[i]] == greatest) {
            first = std::min(first, i);
            last = i + 1;
        }
    overhead_cutoff const less(std::int64_t{}, most - 1);
    for (std::size_t around = 4;; around *= 2) {
        auto const begin = first - std::min(first, around);
        auto const end = last + std::min(order.size() - last, around);
        std::vector<csr_graph::vertex> part(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                            order.begin() + static_cast<std::ptrdiff_t>(end));
        bool const all = part.size() == order.size();
        auto induced = positional_problem(problem, std::move(part)).without_time();
        lower_set_lattice const lattice(std::move(induced), effort);
        if (!lattice.complete()) return false;
        block_arcs const arcs(lattice, less, effort, 16 * effort);
        if (!arcs.complete()) return false;
        if (!has_sequence_within(lattice, arcs, most - 1)) return true;
        if (all) return false;
    }
}

}  // namespace repebble::inline v0::detail

#endif
