#ifndef REPEBBLE_IMPL_PAGE_HTML_PAGE_IPP
#define REPEBBLE_IMPL_PAGE_HTML_PAGE_IPP

#include <repebble/page/html_page.hpp>

#include <initializer_list>
#include <string_view>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/page/detail/embedded.hpp>
#include <repebble/page/detail/json_text.hpp>
#include <repebble/page/detail/page_data.hpp>

namespace repebble::inline v0::report::detail {

/// The sections, empty; the script fills them.
inline constexpr std::string_view page_body = R"html(<body>
<noscript>This page draws its pictures with a script, which this browser does not run.</noscript>
<header id="head"></header>
<main>
<section id="memory"></section>
<section id="why"></section>
<section id="trade"></section>
<section id="costs"></section>
<section id="floor"></section>
</main>
<div class="tip" id="tip"></div>
)html";

}  // namespace repebble::inline v0::report::detail

namespace repebble::inline v0::report {

REPEBBLE_INLINE auto html_page(dataflow const& flow, automatic_plan<> const& plan, page_subject const& about)
    -> std::string {
    namespace files = repebble::detail::page;
    detail::json_text data;
    detail::page_data(flow, plan, about).write(data);
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    page += detail::html_text(about.title);
    page += "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n";
    page += files::page_css;
    page += "</style>\n</head>\n";
    page += detail::page_body;
    page += "<script type=\"application/json\" id=\"data\">";
    page += std::move(data).finish();
    page += "</script>\n<script>";
    for (auto const part : {files::charts_js, files::memory_js, files::offsets_js, files::sections_js})
        (page += '\n') += part;
    page += "</script>\n</body>\n</html>\n";
    return page;
}

}  // namespace repebble::inline v0::report

#endif
