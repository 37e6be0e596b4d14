#ifndef PLAN_ARGUMENTS_HPP
#define PLAN_ARGUMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/convention.hpp>
#include <repebble/networks/sizes.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/recompute/lower_set_plan_options.hpp>

#include "beside.hpp"
#include "command_line/read_limits.hpp"

namespace plan {

/// In place of a link: no copies, whatever the graph says.
inline constexpr char const* no_link = "none";

/// What the command line asks for.
struct arguments {
    std::string graph;  ///< a file, or the name of a network
    command_line::read_limits reading;
    std::string time_unit;   ///< of a file that does not say it; empty: none
    bool inference = false;  ///< the forward graph is planned as it is
    repebble::networks::sizes sizes;
    std::map<std::string, std::int64_t> dimensions;  ///< of an ONNX model
    std::optional<double> flops_per_second;          ///< of the roofline
    std::optional<double> bytes_per_second;
    std::optional<std::string> device;  ///< name of a machine with a roofline
    std::optional<std::string> times_in;
    std::optional<std::string> graph_out;
    std::string budget = "60%";
    std::vector<std::string> strategies;  ///< those named; none: all that are usual
    std::optional<repebble::convention> convention;
    repebble::lower_set_plan_options options;  ///< the other strategies take their budget and goal
    repebble::plan_options automatic{};
    std::optional<std::string> link;  ///< as it was written; `choose_link` gives it to `automatic` in numbers
    std::optional<repebble::bytes> host_budget{};
    std::vector<std::string> links{};  ///< to be compared
    std::size_t kept = 1;              ///< cuts per part, of segment_recursive
    std::size_t step_limit = 4'000'000;
    bool json = false;
    bool explain = false;  ///< says what each technique of the automatic planner brought and cost
    std::optional<std::string> schedule_out;
    std::optional<std::string> replay_in;
    std::vector<std::string> compare;  ///< files of schedules
    bool budget_given = false;
    bool in_place = false;                       ///< schedules are rewritten with in-place steps
    bool arena = false;                          ///< an arena is found for every schedule
    bool inputs_outside = false;                 ///< inputs, and what mutations write over them, count nothing
    std::optional<repebble::bytes> alignment{};  ///< of all sizes, and of the offsets in an arena
    std::optional<double> time_limit;            ///< seconds for all that is planned
    std::optional<std::string> arena_out;
    std::optional<std::string> arena_svg;
    std::optional<std::string> html_out;
    std::optional<std::string> curve;       ///< how many budgets, or which
    std::optional<std::string> largest{};   ///< batch or length: the size that is looked for
    std::optional<double> most_overhead{};  ///< of the plans that count then, as a share
    included beside{};                      ///< the values, in the budget
    std::optional<std::string> curve_svg;
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(int argc, char const* const* argv, arguments& result) -> std::optional<int>;

/// Bytes that a budget such as 4GiB, 60% (of `keep_all_peak`) or min stands for; nothing for min.
/// Throws repebble::error for anything else.
[[nodiscard]] auto parse_budget(std::string const& text, repebble::bytes keep_all_peak)
    -> std::optional<repebble::bytes>;

/// The budgets of a curve: so many, from the floor to `keep_all_peak`, or a list such as 80%,4GiB.
/// Throws repebble::error for anything else.
[[nodiscard]] auto parse_curve(std::string const& text, repebble::bytes floor, repebble::bytes keep_all_peak)
    -> std::vector<repebble::bytes>;

}  // namespace plan

#endif
