#ifndef REPEBBLE_REPORT_HTML_PAGE_HPP
#define REPEBBLE_REPORT_HTML_PAGE_HPP

// A plan as one self-contained HTML page: memory over time beside that of keeping everything, what runs again or is
// copied and why, the curve with its bounds, the table of costs, and the floor. The data, the style sheet and the
// script are inside the page, which asks for nothing else.

#include <string>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/planner/automatic_plan.hpp>
#include <repebble/report/detail/json_text.hpp>
#include <repebble/report/detail/page_charts.hpp>
#include <repebble/report/detail/page_data.hpp>
#include <repebble/report/detail/page_memory.hpp>
#include <repebble/report/detail/page_offsets.hpp>
#include <repebble/report/detail/page_sections.hpp>
#include <repebble/report/detail/page_style.hpp>
#include <repebble/report/page_subject.hpp>

namespace repebble::inline v0::report {

namespace detail {

struct html_page_fn {
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, automatic_plan<Time> const& plan,
                                  page_subject<Time> const& about = {}) const -> std::string {
        json_text data;
        page_data<Time>(flow, plan, about).write(data);
        std::string page =
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
        page += html_text(about.title);
        page += "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>";
        page += page_style;
        page += "</style>\n</head>\n";
        page += page_body;
        page += "<script type=\"application/json\" id=\"data\">";
        page += std::move(data).finish();
        page += "</script>\n<script>";
        page += page_charts;
        page += page_memory;
        page += page_offsets;
        page += page_sections;
        page += "</script>\n</body>\n</html>\n";
        return page;
    }
};

}  // namespace detail

/// A plan of a dataflow as a page of HTML in UTF-8: one file that needs no other and no network. Names may hold any
/// bytes: they are escaped, and what is not UTF-8 is replaced. Without a plan the page has the floor, the costs and the
/// memory of keeping everything. O(text + reads times overwrites of each operation), and the costs of `keep_all`,
/// `replay` and `find_reasons`.
/// Throws illegal_schedule where the plan's schedule breaks a rule of this dataflow, page_mismatch where the subject
/// speaks of other operations, or its arena of other steps.
inline constexpr detail::html_page_fn html_page{};

}  // namespace repebble::inline v0::report

#endif
