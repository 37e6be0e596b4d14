#ifndef REPEBBLE_GRAPH_LIMITS_HPP
#define REPEBBLE_GRAPH_LIMITS_HPP

// Limits of a search, in every solver alike: seconds, work, and a question that ends it.

#include <cstddef>
#include <functional>
#include <optional>

namespace repebble::inline v0 {

/// Limits of a search, which ends at the first that is reached, with the best answer so far. Without seconds and
/// `stop`, equal calls give equal answers, whatever the number of threads. Solvers throw bad_option where the seconds
/// are negative or not a number.
struct limits {
    std::optional<double> seconds{};    ///< time on the wall, from the call on; on a busy machine less is done in it
    std::optional<std::size_t> work{};  ///< steps of the solver, which says what a step is; none: its default
    std::function<bool()> stop{};       ///< asked now and then by the caller's thread; true ends the search
};

}  // namespace repebble::inline v0

#endif
