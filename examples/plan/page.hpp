#ifndef PLAN_PAGE_HPP
#define PLAN_PAGE_HPP

#include <optional>
#include <string>
#include <vector>

#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/io/network.hpp>

#include "arguments.hpp"
#include "report.hpp"
#include "strategies.hpp"

namespace plan {

/// A page of HTML on the best plan that fits (null: none does), and on a plan to compare it with (null: there is none),
/// with the costs of all rows. It has their arenas, and where a budget was planned for and time is left a curve.
[[nodiscard]] auto page_of(repebble::io::network const& net, repebble::training_graph const& training,
                           arguments const& asked, subject const& about, std::vector<outcome> const& rows,
                           outcome const* best, outcome const* beside,
                           std::optional<repebble::overwrite_table> const& in_place, time_limit const& limit)
    -> std::string;

}  // namespace plan

#endif
