#ifndef PLAN_REPORT_HPP
#define PLAN_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

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
    std::optional<std::string> link{};  ///< that plans may copy over
    repebble::bytes alignment = 1;      ///< of what all sizes are multiples
    bool inputs_outside = false;        ///< inputs count nothing
    bool arenas = false;                ///< whether the rows have arenas
    bool inputs = false;                ///< whether the rows have peaks without inputs
};

[[nodiscard]] auto percent(double part, double whole) -> double;
[[nodiscard]] auto percent(repebble::bytes part, repebble::bytes whole) -> double;

/// What JSON says of the graph and the budget, before any plan.
[[nodiscard]] auto json_of(subject const& about) -> nlohmann::ordered_json;
[[nodiscard]] auto json_of(subject const& about, outcome const& row) -> nlohmann::ordered_json;

/// What is to be said of a row with a plan: a proof, or by how much it misses the budget.
[[nodiscard]] auto remark(subject const& about, outcome const& row) -> std::string;

/// Says how sizes are rounded, if they are, and ends the paragraph.
void print_alignment(subject const& about);

/// A table for people.
void print_table(subject const& about, std::vector<outcome> const& rows);
/// A table of what each technique of the automatic planner brought and cost, where rows have it.
void print_techniques(subject const& about, std::vector<outcome> const& rows);
/// One line of JSON.
void print_json(subject const& about, std::vector<outcome> const& rows);

}  // namespace plan

#endif
