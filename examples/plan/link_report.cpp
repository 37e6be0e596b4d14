#include "link_report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <repebble/io/byte_size.hpp>
#include <repebble/io/parse_link.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"
#include "link.hpp"

namespace plan {

using namespace repebble;
using command_line::one_line;

namespace {

constexpr char const* columns = "{:<22} {:>9} {:>9} {:>10} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9}";

void print_header(char const* first) {
    fmt::print("{}\n", fmt::format(fmt::runtime(columns), first, "overhead", "any order", "base order", "copied out",
                                   "copied in", "host peak", "for data", "memory", "at end"));
}
/// The cells of a row behind its name, of times in percent of everything once.
void print_row(subject const& about, std::string const& name, outcome const& row, char const* end) {
    auto const of_once = [&](std::int64_t time) { return fmt::format("{:.2f}%", percent(time, about.time_once)); };
    auto const cost = row.plan ? row.plan->cost : replay_result{};
    auto const cell = [&](std::string const& text) { return row.plan ? text : std::string("-"); };
    auto const bound = [&](std::int64_t time) { return row.proof ? of_once(time) : std::string("-"); };
    fmt::print(
        "{}{}\n",
        fmt::format(fmt::runtime(columns), name, cell(of_once(cost.overhead)),
                    bound(row.proof ? row.proof->lower_bound : 0), bound(row.proof ? row.proof->base_order_bound : 0),
                    cell(io::format_bytes(cost.bytes_out)), cell(io::format_bytes(cost.bytes_in)),
                    cell(io::format_bytes(cost.host_peak)), cell(of_once(cost.stalls.for_data)),
                    cell(of_once(cost.stalls.for_memory)), cell(of_once(cost.stalls.at_end))),
        end);
}

auto ratio_of(subject const& about, std::string const& link) -> double {
    return copy_ratio(io::parse_link(link), about.keep_all_peak, about.time_once);
}

}  // namespace

void add_copies(nlohmann::ordered_json& to, outcome const& row) {
    auto const cost = row.plan ? row.plan->cost : replay_result{};
    auto const or_null = [&](std::int64_t number) {
        return row.plan ? nlohmann::json(number) : nlohmann::json(nullptr);
    };
    if (row.proof) to["base_order_bound"] = row.proof->base_order_bound;
    to["bytes_out"] = or_null(cost.bytes_out);
    to["bytes_in"] = or_null(cost.bytes_in);
    to["host_peak"] = or_null(cost.host_peak);
    to["stall_for_data"] = or_null(cost.stalls.for_data);
    to["stall_for_memory"] = or_null(cost.stalls.for_memory);
    to["stall_at_end"] = or_null(cost.stalls.at_end);
}

void print_copies(subject const& about, std::vector<outcome> const& rows) {
    if (!about.link || std::ranges::none_of(rows, [](auto const& row) { return row.plan.has_value(); })) return;
    fmt::print("\nover the link {}, rho {:.2f}: overhead, its lower bounds, copies, and how long computations wait\n",
               *about.link, ratio_of(about, *about.link));
    print_header("strategy");
    for (auto const& row : rows)
        if (row.plan) print_row(about, one_line(row.strategy), row, "");
}

void print_links(subject const& about, std::vector<std::string> const& links, std::vector<outcome> const& rows) {
    fmt::print("{}: {} vertices, {} edges, {}; keep_all peaks at {}; budget {}\n", one_line(about.graph),
               about.vertices, about.edges, about.convention, io::format_bytes(about.keep_all_peak),
               about.budget ? io::format_bytes(*about.budget) : "min");
    print_alignment(about);
    print_header("link");
    for (std::size_t k = 0; k < rows.size(); ++k)
        print_row(about, k > 0 ? fmt::format("{}, rho {:.2f}", links[k - 1], ratio_of(about, links[k - 1])) : "none",
                  rows[k], rows[k].proof && rows[k].proof->time_least ? "  time least" : "");
}

void print_links_json(subject const& about, std::vector<std::string> const& links, std::vector<outcome> const& rows) {
    auto all = json_of(about);
    all["links"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        auto& row = all["links"].emplace_back(json_of(about, rows[k]));
        row["link"] = k > 0 ? nlohmann::ordered_json(links[k - 1]) : nullptr;
        row["rho"] = k > 0 ? nlohmann::ordered_json(ratio_of(about, links[k - 1])) : nullptr;
        add_copies(row, rows[k]);
    }
    command_line::print_json(all);
}

}  // namespace plan
