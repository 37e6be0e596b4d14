#ifndef REPEBBLE_PAGE_HTML_PAGE_HPP
#define REPEBBLE_PAGE_HTML_PAGE_HPP

// A plan, or two side by side, as one self-contained HTML page: memory over time beside that of keeping everything,
// what runs again or is copied and why, the curve with its bounds, the table of costs, and the floor. The data, the
// style sheet and the script are inside the page, which asks for nothing else.

#include <string>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/page/page_subject.hpp>
#include <repebble/planner/automatic_plan.hpp>

namespace repebble::inline v0::report {

/// A plan of a dataflow as a page of HTML in UTF-8: one file that needs no other and no network. Names may hold any
/// bytes: they are escaped, and what is not UTF-8 is replaced. Without a plan the page has the floor, the costs and the
/// memory of keeping everything. O(text + reads times overwrites of each operation), and the costs of `keep_all`,
/// `replay` and `find_reasons`.
/// Throws illegal_schedule where the plan's schedule breaks a rule of this dataflow, page_mismatch where the subject
/// speaks of other operations, or its arena of other steps.
[[nodiscard]] auto html_page(dataflow const& flow, automatic_plan<> const& plan, page_subject const& about = {})
    -> std::string;

/// Two schedules of a dataflow side by side, the first on the left: both are judged by `replay`, over `about.link`
/// where there is one. The page has both memories on one scale, both costs and their differences, and what runs again
/// or is copied in one of them only; a mark on an operation in one is on it in the other, too. The same costs and
/// errors as of one plan; illegal_schedule has the name of the schedule and the step. Requires: `about.offsets` is
/// empty, else page_mismatch.
[[nodiscard]] auto html_page(dataflow const& flow, named_schedule const& left, named_schedule const& right,
                             page_subject const& about = {}) -> std::string;

}  // namespace repebble::inline v0::report

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/page/html_page.ipp>
#endif

#endif
