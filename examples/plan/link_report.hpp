#ifndef PLAN_LINK_REPORT_HPP
#define PLAN_LINK_REPORT_HPP

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report.hpp"
#include "strategies.hpp"

namespace plan {

/// What JSON says of a row over a link: bytes copied, the host's peak, stalls, and the bound of the graph's order.
void add_copies(nlohmann::ordered_json& to, outcome const& row);

/// A table of what the rows copy, how long they wait for it, and both bounds; nothing where there is no link.
void print_copies(subject const& about, std::vector<outcome> const& rows);

/// The automatic planner's rows, without copies and over each link: a table for people, or one line of JSON.
void print_links(subject const& about, std::vector<std::string> const& links, std::vector<outcome> const& rows);
void print_links_json(subject const& about, std::vector<std::string> const& links, std::vector<outcome> const& rows);

}  // namespace plan

#endif
