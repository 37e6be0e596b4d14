#ifndef PLAN_REPORT_HPP
#define PLAN_REPORT_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>

#include "strategies.hpp"

namespace plan {

/// What the rows speak of.
struct subject {
    std::string graph;
    std::size_t vertices = 0;
    std::size_t edges = 0;
    repebble::bytes keep_all_peak = 0;
    std::string convention;
    std::optional<repebble::bytes> budget;
    std::int64_t time_once = 0;
    bool arenas = false;  ///< whether the rows have arenas
};

/// A table for people.
void print_table(subject const& about, std::vector<outcome> const& rows);
/// One line of JSON.
void print_json(subject const& about, std::vector<outcome> const& rows);

}  // namespace plan

#endif
