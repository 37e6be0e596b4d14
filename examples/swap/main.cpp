// Plans an iteration, of which there is a trace, within a limit of memory:  swap trace.jsonl --limit 60%
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/io/bad_file.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/traces/trace_file.hpp>

#include "arguments.hpp"
#include "command_line/run_program.hpp"
#include "methods.hpp"
#include "plan/arguments.hpp"
#include "report.hpp"
#include "written_files.hpp"

namespace {

using namespace repebble;
using swap_program::outcome;

auto limit_in_bytes(std::string const& text, bytes peak) -> bytes {
    auto const limit = plan::parse_budget(text, peak);
    if (!limit) throw bad_option("--limit min is no limit: it must be bytes such as 4GiB, or a share such as 60%");
    return *limit;
}

/// The fastest that fits; nothing where none does.
auto best_of(std::vector<outcome> const& rows) -> outcome const* {
    auto const key = [](outcome const& row) { return std::tuple(!row.fits, row.fits ? row.plan->cost.time : 0); };
    auto const best = std::ranges::min_element(rows, {}, key);
    return best == rows.end() || !best->fits ? nullptr : &*best;
}

auto run(swap_program::arguments const& asked) -> int {
    std::optional<command_line::before_results> nothing_yet(asked.trace);
    auto read = io::read_trace(asked.trace, asked.iteration.value_or(io::last_iteration),
                               asked.reading.account(asked.time_limit));
    auto const name = read.name.empty() ? std::filesystem::path(asked.trace).stem().string() : read.name;
    swap_program::subject about{.name = command_line::one_line(name), .problem = swap_problem(std::move(read.trace))};
    about.traced = make_traced_dataflow(about.problem);
    about.limit = limit_in_bytes(asked.limit, about.problem.peak());
    nothing_yet.reset();
    auto const rows = run_methods(about, asked);
    if (command_line::interrupted()) command_line::complain("interrupted; the best plans so far:");
    auto const* const best = best_of(rows);
    return command_line::attempt_each(
        best != nullptr ? 0 : command_line::nothing_fits,
        [&] {
            if (asked.write) io::write_network(*asked.write, swap_program::network_of(about, read.kernels, asked));
        },
        [&] {
            if (asked.out && best != nullptr) swap_program::write_schedule(*asked.out, *best, about, read, asked);
        },
        [&] { asked.json ? print_json(about, asked, rows) : print_table(about, asked, rows); });
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::run_program("swap", [&]() -> int {
        swap_program::arguments asked;
        if (auto const status = swap_program::read_arguments(argc, argv, asked)) return *status;
        return run(asked);
    });
}
