#include "link.hpp"

#include <repebble/graph/error.hpp>
#include <repebble/io/parse_link.hpp>

namespace plan {

using namespace repebble;

auto copy_ratio(host_link const& via, bytes size, std::int64_t time_once) -> double {
    if (time_once <= 0) return 0;
    return static_cast<double>(size) * static_cast<double>(via.time) / static_cast<double>(via.size) /
           static_cast<double>(time_once);
}

void choose_link(arguments& asked, std::optional<std::string> const& of_schedule, io::network const& net) {
    auto const& said = net.copies();
    bool const of_graph = !asked.link && !of_schedule && !said.link.empty();
    if (asked.links.empty()) {
        if (!asked.link) asked.link = of_schedule;
        if (of_graph) asked.link = said.link;
        if (asked.link == no_link) asked.link.reset();
        if (asked.link) asked.automatic.link = io::parse_link(*asked.link);
    }
    bool const copies = asked.link || !asked.links.empty();
    if (asked.host_budget && !copies) throw bad_option("--host-budget goes with --link or --links");
    if (copies) asked.automatic.host_budget = asked.host_budget ? asked.host_budget : said.host_budget;
    if (asked.link && asked.in_place)
        throw bad_option(of_graph ? "--in-place excludes the link of " + asked.graph + ": say --link none"
                                  : std::string("--in-place excludes --link"));
}

}  // namespace plan
