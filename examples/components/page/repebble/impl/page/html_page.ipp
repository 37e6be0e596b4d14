#ifndef REPEBBLE_IMPL_REPORT_HTML_PAGE_IPP
#define REPEBBLE_IMPL_REPORT_HTML_PAGE_IPP

#include <repebble/report/html_page.hpp>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/report/detail/json_text.hpp>
#include <repebble/report/detail/page_charts.hpp>
#include <repebble/report/detail/page_data.hpp>
#include <repebble/report/detail/page_memory.hpp>
#include <repebble/report/detail/page_offsets.hpp>
#include <repebble/report/detail/page_sections.hpp>
#include <repebble/report/detail/page_style.hpp>

namespace repebble::inline v0::report {

REPEBBLE_INLINE auto html_page(dataflow const& flow, automatic_plan<> const& plan, page_subject const& about)
    -> std::string {
    detail::json_text data;
    detail::page_data(flow, plan, about).write(data);
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    page += detail::html_text(about.title);
    page += "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>";
    page += detail::page_style;
    page += "</style>\n</head>\n";
    page += detail::page_body;
    page += "<script type=\"application/json\" id=\"data\">";
    page += std::move(data).finish();
    page += "</script>\n<script>";
    page += detail::page_charts;
    page += detail::page_memory;
    page += detail::page_offsets;
    page += detail::page_sections;
    page += "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace repebble::inline v0::report

#endif
