#ifndef REPEBBLE_GRAPH_DATAFLOW_DETAIL_NEEDED_OPERATIONS_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DETAIL_NEEDED_OPERATIONS_HPP

// Operations that every schedule runs, and those that run where nothing is recomputed. Where values have alternative
// producers, a dataflow is an AND/OR graph: an operation needs all that it reads, a value one of its producers.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0::detail {

/// Operations and values of every schedule.
struct needed_operations {
    std::vector<bool> required{};  ///< by operation: it runs in every schedule
    /// Values with several producers that every schedule computes, where none of the producers is required: ascending.
    std::vector<value_index> alternatives{};
    /// Values that lie on circles of producers, ascending, with the producers that can be the first to run.
    std::vector<std::pair<value_index, std::vector<operation_index>>> on_circles{};

    /// The producers of a value that can be the first to run: all, but where producers lead in a circle.  O(log
    /// circles).
    [[nodiscard]] auto first_producers(dataflow const& flow, value_index x) const -> std::span<operation_index const> {
        auto const found = std::ranges::lower_bound(on_circles, x, {}, [](auto const& of) { return of.first; });
        if (found != on_circles.end() && found->first == x) return found->second;
        return flow.producers(x);
    }
};

/// The producers of x that can run where no operation that reads x has run, ascending.  O(n + m).
[[nodiscard]] auto producers_before_readers(dataflow const& flow, value_index x) -> std::vector<operation_index>;

/// Returns what every schedule runs: what computes the values of sinks and the results, what a required operation
/// reads, the only producer of such a value that can be the first, and what all of these read. More may be needed where
/// alternatives meet further back.  O(n + m), for each of the first values that lie on a circle of producers.
[[nodiscard]] auto find_needed(dataflow const& flow) -> needed_operations;

/// Least time of what every schedule runs: the required operations, and of each group of other operations that share
/// values the fastest producer of a value that is needed. `times`: of all operations.  O(n + m).  Throws as
/// `checked_add`.
[[nodiscard]] auto least_time_once(dataflow const& flow, needed_operations const& needed,
                                   std::vector<std::int64_t> const& times) -> std::int64_t;

/// Returns operations that suffice for everything, each once, in the dataflow's order: all of them where no value has
/// several producers; otherwise for each needed value the producer that adds least time.  O(n + m), and for each
/// producer of an alternative what it adds.
[[nodiscard]] auto cheapest_operations(dataflow const& flow, needed_operations const& needed)
    -> std::vector<operation_index>;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/needed_operations.ipp>
#endif

#endif
