#ifndef PLAN_CURVE_REPORT_HPP
#define PLAN_CURVE_REPORT_HPP

#include <string>

#include "report.hpp"
#include "strategies.hpp"

namespace plan {

/// A table for people.
void print_table(subject const& about, least_memory const& floor, curve const& found);
/// One line of JSON.
void print_json(subject const& about, least_memory const& floor, curve const& found);
/// Overhead against budget, as SVG.
[[nodiscard]] auto picture_of(subject const& about, least_memory const& floor, curve const& found) -> std::string;

}  // namespace plan

#endif
