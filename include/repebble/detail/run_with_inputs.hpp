#ifndef REPEBBLE_DETAIL_RUN_WITH_INPUTS_HPP
#define REPEBBLE_DETAIL_RUN_WITH_INPUTS_HPP

// Recomputation on demand: a depth-first postorder over missing inputs with an explicit stack. Strategies, starts and
// measurements that complete a sequence of operations use it.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace repebble::inline v0::detail {

/// Runs `first` after its missing inputs, each recomputed recursively before its reader, the first one first.
/// inputs(v): the inputs of v, in a range; is_resident(x); recomputing(x): the operation that is to recompute x, or
/// nothing; run(v): called when all inputs of v are resident, returns whether to go on; it makes its outputs resident.
/// Returns false where an input cannot be recomputed, or is needed for itself (more than `most` wait), or as soon as
/// run returns false. `pending` is working space. O(calls of run, times the square of an operation's inputs at worst).
template <class Operation, class Inputs, class IsResident, class Recomputing, class Run>
[[nodiscard]] auto run_with_inputs(Operation first, std::size_t most, std::vector<Operation>& pending,
                                   Inputs const& inputs, IsResident const& is_resident, Recomputing const& recomputing,
                                   Run const& run) -> bool {
    pending.assign(1, first);
    while (!pending.empty()) {
        auto const v = pending.back();
        auto const& read = inputs(v);
        auto const missing = std::ranges::find_if_not(read, is_resident);
        if (missing == read.end()) {
            pending.pop_back();
            if (!run(v)) return false;
        } else if (std::optional<Operation> const next = recomputing(*missing); next && pending.size() < most) {
            pending.push_back(*next);
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace repebble::inline v0::detail

#endif
