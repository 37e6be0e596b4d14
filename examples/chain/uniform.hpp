#ifndef CHAIN_UNIFORM_HPP
#define CHAIN_UNIFORM_HPP

#include <cstdint>
#include <optional>

#include "arguments.hpp"

namespace chain_program {

/// What a reversal of equal steps takes.
struct reversal_counts {
    std::uint64_t steps = 0;
    std::uint64_t advances = 0;  ///< steps that run forward beside those that run to be reversed
    std::uint64_t actions = 0;
    std::uint64_t taken = 0;  ///< snapshots in memory
    std::uint64_t taken_on_disk = 0;
    std::optional<std::int64_t> cost;  ///< of all actions; with a disk only
};

/// Prints the actions of a reversal, one per line; online those of each step before the next one is read.
/// Throws repebble::bad_file where they cannot be written, or the standard input cannot be read.
/// Requires: asked.uniform or asked.online.
void print_reversal(arguments const& asked);
/// Goes through the actions.  Throws repebble::bad_weight where the advances do not fit in 64 bits.
/// Requires: asked.uniform or asked.online.
[[nodiscard]] auto count_reversal(arguments const& asked) -> reversal_counts;

void print_words(arguments const& asked, reversal_counts const& found, double seconds);
/// One line of JSON.
void print_json(arguments const& asked, reversal_counts const& found, double seconds);

}  // namespace chain_program

#endif
