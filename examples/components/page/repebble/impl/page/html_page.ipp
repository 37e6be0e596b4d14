#ifndef REPEBBLE_IMPL_PAGE_HTML_PAGE_IPP
#define REPEBBLE_IMPL_PAGE_HTML_PAGE_IPP

#include <repebble/page/html_page.hpp>

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/page/detail/embedded.hpp>
#include <repebble/page/detail/json_text.hpp>
#include <repebble/page/detail/page_data.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/pebbling/violation.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0::report::detail {

/// The sections, empty; the script fills them.
inline constexpr std::string_view page_body = R"html(<body>
<noscript>This page draws its pictures with a script, which this browser does not run.</noscript>
<header id="head"></header>
<main>
<section id="memory"></section>
<section id="differences"></section>
<section id="why"></section>
<section id="trade"></section>
<section id="costs"></section>
<section id="floor"></section>
</main>
<div class="tip" id="tip"></div>
)html";

/// A schedule as a plan with its cost by replay.
[[nodiscard]] inline auto judged(dataflow const& flow, named_schedule const& given, std::optional<host_link> const& via)
    -> automatic_plan<> {
    auto verdict =
        via ? verify_schedule(flow, given.schedule, {}, lanes_clock(*via)) : verify_schedule(flow, given.schedule);
    if (auto& broken = verdict.broken) {
        broken->message = given.name + ": " + broken->message;
        repebble::detail::raise(illegal_schedule(std::move(*broken)));
    }
    return {.plan = recompute_plan<>{.schedule = given.schedule, .cost = std::move(verdict.result)},
            .floor = find_memory_floor({flow}),
            .strategy = given.name};
}

[[nodiscard]] inline auto page_of(dataflow const& flow, std::vector<shown_plan> const& plans, page_subject const& about)
    -> std::string {
    namespace files = repebble::detail::page;
    json_text data;
    page_data(flow, plans, about).write(data);
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    page += html_text(about.title);
    page += "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n";
    page += files::page_css;
    page += "</style>\n</head>\n";
    page += page_body;
    page += "<script type=\"application/json\" id=\"data\">";
    page += std::move(data).finish();
    page += "</script>\n<script>";
    for (auto const part :
         {files::charts_js, files::memory_js, files::offsets_js, files::beside_js, files::sections_js})
        (page += '\n') += part;
    page += "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace repebble::inline v0::report::detail

namespace repebble::inline v0::report {

REPEBBLE_INLINE auto html_page(dataflow const& flow, automatic_plan<> const& plan, page_subject const& about)
    -> std::string {
    return detail::page_of(flow, {{plan, about.offsets}}, about);
}

REPEBBLE_INLINE auto html_page(dataflow const& flow, named_schedule const& left, named_schedule const& right,
                               page_subject const& about) -> std::string {
    if (about.offsets) repebble::detail::raise(page_mismatch("a page: 2 plans, but 1 arena beside them"));
    auto const first = detail::judged(flow, left, about.link), second = detail::judged(flow, right, about.link);
    return detail::page_of(flow, {{first, left.offsets}, {second, right.offsets}}, about);
}

}  // namespace repebble::inline v0::report

#endif
