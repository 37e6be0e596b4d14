#ifndef PLAN_SCHEDULE_SOURCE_HPP
#define PLAN_SCHEDULE_SOURCE_HPP

#include <optional>
#include <string>

#include <repebble/graph/training/convention.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace plan {

/// The word in place of a convention where there are no gradients.
inline constexpr char const* inference = "inference";

/// The convention that a schedule's header names. A joint graph has its own, whatever is asked for.
/// Throws bad_file, naming the file, where it is unknown.
[[nodiscard]] auto convention_named(std::string const& name, std::string const& file) -> repebble::convention;

/// The schedule of a file in terms of the operations of the training graph.  Throws bad_file with the step.
[[nodiscard]] auto schedule_of(std::string const& file, repebble::io::training_schedule const& from,
                               repebble::training_graph const& training) -> repebble::schedule<>;

/// Replays the schedule of a file, over a link if there is one.  Throws bad_file with the step, and the vertex in the
/// terms of the file, where it breaks a rule, and where it says of operands or results what is not so.
[[nodiscard]] auto judged_from(std::string const& file, repebble::io::schedule_document const& given,
                               repebble::training_graph const& training, std::optional<repebble::host_link> const& via)
    -> repebble::recompute_plan<>;

}  // namespace plan

#endif
