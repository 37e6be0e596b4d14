#ifndef CHAIN_SOLUTION_HPP
#define CHAIN_SOLUTION_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/graph/quantity.hpp>

#include "arguments.hpp"

namespace chain_program {

/// What came out.
struct solution {
    repebble::bytes keep_all = 0;                      ///< the budget with which everything is kept
    std::optional<repebble::bytes> budget{};           ///< nothing: the whole curve
    std::vector<repebble::budget_and_time> curve{};    ///< with a budget one point, or none
    double epsilon = 0;
    std::optional<repebble::bytes> unit{};  ///< bytes of a slot, where there are slots
    std::optional<repebble::chain_actions> actions{};
    std::optional<repebble::bytes> peak{};  ///< of the actions, as they were replayed

    [[nodiscard]] auto exact() const -> bool { return !unit && epsilon == 0; }
};

/// Solves the chain as the arguments say; says on the standard error stream where the curves are too long to do so
/// exactly. Throws repebble::error where it cannot be solved, and std::logic_error where the plan is not what it
/// promises.
[[nodiscard]] auto solve(repebble::chain const& of, arguments const& asked) -> solution;

}  // namespace chain_program

#endif
