#ifndef PLAN_ARENAS_HPP
#define PLAN_ARENAS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace plan {

/// Makes the steps of a plan in place, where the rule lets them, and judges it again.
void make_in_place(repebble::recompute_plan<>& plan, repebble::training_graph const& training,
                   repebble::overwrite_table const& rule);

/// What lies in a buffer, alone or with others: a value as one run makes it, or the workspace of one run.
struct tensor {
    std::string id;                       ///< "forward 12 output 0 run 1", "backward 12 workspace run 0"
    repebble::operation_index operation;  ///< that makes or needs it
    std::optional<std::uint32_t> output;  ///< of the operation; nothing: its workspace
    std::size_t buffer;                   ///< number of the buffer by `find_lifetimes`
    std::int64_t first, last;  ///< steps: the one that makes it, the last that reads it; or the step count: it stays
    std::vector<std::int64_t> touched;  ///< steps that make or read it, one for each time
};

/// All of a schedule, in the order in which they are made. A view of several storages is there once for each; what
/// comes back from the host is there again.  O(steps · values per step).  Requires: the schedule is legal.
[[nodiscard]] auto tensors_of(repebble::schedule<> const& made, repebble::training_graph const& training)
    -> std::vector<tensor>;

/// Buffers, each named by the first that lies in it.
[[nodiscard]] auto named_buffers(repebble::schedule_lifetimes const& of, std::span<tensor const> tensors)
    -> repebble::io::buffer_table;

/// Adds what else lies in the buffers, views and what is written in place, as aliases with the same offsets.
void add_aliases(repebble::io::buffer_table& named, std::vector<repebble::bytes>& offsets,
                 std::span<tensor const> tensors);

/// The arena as a picture.
[[nodiscard]] auto picture_of(repebble::arena const& a, repebble::io::buffer_table const& named,
                              std::string const& title) -> std::string;

}  // namespace plan

#endif
