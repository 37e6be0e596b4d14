#include "report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"

namespace swap_program {

using namespace repebble;

namespace {

auto percent(std::int64_t part, std::int64_t whole) -> double {
    return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

void print_table(subject const& about, arguments const& asked, std::vector<outcome> const& rows) {
    auto const peak = about.problem.peak();
    fmt::print("{}: {} rows, {} computations; peaks at {}, takes {:.3f} ms; limit {}, link {}\n\n",
               command_line::one_line(about.name), about.problem.row_count(), about.traced.operations.size(),
               io::format_bytes(peak), static_cast<double>(about.problem.iteration().duration) / 1e6,
               io::format_bytes(about.limit), asked.link);
    fmt::print("{:<14} {:>11} {:>8} {:>10} {:>11} {:>11} {:>6} {:>8}\n", "method", "peak", "of all", "overhead", "out",
               "in", "again", "CPU s");
    for (auto const& row : rows) {
        if (!row.plan) {
            fmt::print("{:<14} {:>11} {:>8} {:>10} {:>11} {:>11} {:>6} {:>8.3f}  {}\n", row.method, "-", "-", "-", "-",
                       "-", "-", row.seconds, command_line::one_line(row.note));
            continue;
        }
        auto const& cost = row.plan->cost;
        fmt::print("{:<14} {:>11} {:>7.1f}% {:>9.2f}% {:>11} {:>11} {:>6} {:>8.3f}  {}\n", row.method,
                   io::format_bytes(cost.peak), percent(cost.peak, peak),
                   percent(cost.overhead, about.traced.flow.time_once()), io::format_bytes(cost.bytes_out),
                   io::format_bytes(cost.bytes_in), cost.recomputations, row.seconds, row.note);
    }
}

void print_json(subject const& about, arguments const& asked, std::vector<outcome> const& rows) {
    nlohmann::ordered_json all{{"trace", about.name},
                               {"rows", about.problem.row_count()},
                               {"computations", about.traced.operations.size()},
                               {"peak", about.problem.peak()},
                               {"time", about.problem.iteration().duration},
                               {"limit", about.limit},
                               {"link", asked.link},
                               {"methods", nlohmann::ordered_json::array()}};
    for (auto const& row : rows) {
        nlohmann::ordered_json line{{"method", row.method}, {"fits", row.fits}, {"legal", row.plan.has_value()}};
        if (row.plan) {
            auto const& cost = row.plan->cost;
            line.update({{"peak", cost.peak},
                         {"time", cost.time},
                         {"overhead", cost.overhead},
                         {"bytes_out", cost.bytes_out},
                         {"bytes_in", cost.bytes_in},
                         {"host_peak", cost.host_peak},
                         {"recomputations", cost.recomputations}});
        }
        line.update({{"seconds", row.seconds}, {"note", row.note}});
        all["methods"].push_back(std::move(line));
    }
    command_line::print_json(all, 2);
}

}  // namespace swap_program
