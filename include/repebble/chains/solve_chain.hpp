#ifndef REPEBBLE_CHAINS_SOLVE_CHAIN_HPP
#define REPEBBLE_CHAINS_SOLVE_CHAIN_HPP

// The solver for chains of stages: for one budget, or for all of them at once; exactly, in slots, within a proven
// tolerance, or with host memory at the other end of a link. The techniques are those of chain_frontier.hpp, and of
// detail/solve_offloaded.hpp for a link.

#include <concepts>
#include <optional>
#include <utility>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_frontier.hpp>
#include <repebble/chains/chain_options.hpp>
#include <repebble/chains/chain_solution.hpp>
#include <repebble/graph/optional_budget.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

/// A plan to train a chain within a budget, in bytes, in the least time (Beaumont et al. 2019, section 4). Optimal
/// among persistent schedules: a checkpoint is kept until its stage has run backward. Inputs of stages with a tape are
/// the exception where `drop_saved_inputs`; such an input is recomputed only when all later stages have run backward.
///
/// * By default exact. Worst case O(L³ p) time and O(L² p) space, for L stages and p points of a curve; most points are
///   skipped. Equal subchains are solved once: with k runs of equal stages O(k² L) subchains instead of L². With
///   `epsilon`, p is small and the program runs twice.
/// * With `slots`, S of them: O(L³ S) time, and 2 L² S bytes and 1024 S more a thread, twice that where times are long.
///   Sizes are rounded up to whole slots, so that plans fit; some plans that would fit, too, are missed. Exact programs
///   are often faster; the cost of this one does not depend on the sizes.
/// * With `slots` and `epsilon`: sizes are rounded up for the plan and down for the bound, and the number of slots
///   doubles from `slots` on, up to 8000. Costs about four times as much as the last number of slots. Near the least
///   budget the exact program may still find a plan where this one finds none.
/// * With `link`: values may wait in host memory, which has no limit (O. Beaumont, L. Eyraud-Dubois, A. Shilova:
///   Efficient combination of rematerialization and offloading for training DNNs, NeurIPS 2021). `serial_time` is the
///   least among persistent plans in which a copy stops all computations: exact where there is a slot for each byte of
///   the budget, else with sizes rounded up. The plan is the fastest of four, made for copies at their full, half and
///   quarter price and for nothing, with copies moved beside computations: a heuristic, never above `serial_time`.
///   O(L³ S) time, 8 L² S bytes; slots beyond those in which every plan fits are left out.
///
/// Returns nothing where no plan fits. Where limits end a search that has a plan already (of those that make several),
/// that plan; else throws limit_reached. Throws bad_graph where there is no stage, bad_weight where a size, time,
/// budget or epsilon is negative, there is no slot or more than ten million, or a sum does not fit in 64 bits; with a
/// link also where a workspace is negative, or the slots take more than 8 GiB; bad_option where two options exclude
/// each other.
[[nodiscard]] auto solve_chain(chain const& of, bytes budget, chain_options const& options = {})
    -> std::optional<chain_solution>;

/// The same. Throws bad_weight, naming the number, where a budget is above 2^63 - 1.
template <std::integral Budget>
    requires(!std::same_as<Budget, bytes>)
[[nodiscard]] auto solve_chain(chain const& of, Budget budget, chain_options const& options = {})
    -> std::optional<chain_solution> {
    return solve_chain(of, detail::budget_in_bytes(budget), options);
}
template <std::floating_point Budget, class UnmetRequirement = unmet::the_budget_is_a_whole_number_of_bytes>
auto solve_chain(chain const&, Budget, chain_options const& = {}) -> std::optional<chain_solution> = delete;

/// The plans for all budgets at once, or for those up to `last_budget`, with their curve of least times. Costs, and
/// throws, as with that budget; a curve has no link, and in slots no `epsilon`.
[[nodiscard]] inline auto solve_chain(chain of, chain_options const& options = {}) -> chain_frontier {
    return chain_frontier(std::move(of), options);
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/solve_chain.ipp>
#endif

#endif
