// How good are offsets, and how do time and memory grow with the number of buffers? For tables of buffers, smallest
// first:  benchmark_offset_tables PICTURE.svg FILE.csv...   Markdown on standard output. The page is offset_tables.md;
// allocation_instances.py makes the instances.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/io/write_file.hpp>

#include "drawing/growth_picture.hpp"
#include "measure/cheap.hpp"
#include "measure/user_clock.hpp"

namespace {

using namespace repebble;

[[nodiscard]] auto guide() -> drawing::growth_line {
    drawing::growth_line line{"n log n", {}};
    for (double n = 1e3; n <= 1e6; n *= 10) line.points.push_back({n, 1.1e-7 * n * std::log2(n)});
    return line;
}

}  // namespace

int main(int argc, char** argv) {
    bool const cheap = measure::take_cheap(argc, argv);  // until it is proven, then, of tables that are small
    if (argc < 3) {
        std::fprintf(stderr, "usage: benchmark_offset_tables PICTURE.svg FILE.csv...\n");
        return 2;
    }
    std::printf(
        "| instance | buffers | bound | read | first fit, largest first | | limit | `assign_offsets` | | memory |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    std::map<std::string, std::vector<drawing::growth_point>> curves;  // by kind: the part of the name before a dash
    for (int i = 2; i < argc; ++i) {
        std::filesystem::path const file = argv[i];
        auto const [table, reading] = measure::timed([&] { return io::read_buffers(file); });
        auto const& buffers = table.buffers;
        auto const n = buffers.size();
        auto const [simple, simple_seconds] = measure::timed([&] { return fit_offsets(buffers); });
        offset_options const options{.limits = {.seconds = cheap         ? 60.0
                                                           : n > 500'000 ? 9.0
                                                           : n > 50'000  ? 0.95
                                                           : n > 15'000  ? 0.45
                                                                         : 1.9,
                                                .work = 1'000'000'000'000}};
        auto const [plan, seconds] = measure::timed([&] { return assign_offsets(buffers, options); });
        auto const over = [&](bytes height) {
            return static_cast<double>(height) / static_cast<double>(plan.lower_bound);
        };
        auto const name = file.stem().string();
        std::printf("| %s | %zu | %lld | %.2f s | %.4f | %.3f s | %.2f s | **%.4f**%s | %.2f s | %ld MB |\n",
                    name.c_str(), n, static_cast<long long>(plan.lower_bound), reading,
                    over(verify_offsets(buffers, simple).height), simple_seconds, *options.limits.seconds,
                    over(plan.height), plan.proof == offset_proof::height_least ? " least" : "", seconds,
                    measure::usage().ru_maxrss / 1024);
        std::fflush(stdout);
        if (auto const dash = name.find('-'); dash != name.npos)
            curves[name.substr(0, dash)].push_back({static_cast<double>(n), simple_seconds});
    }
    std::vector<drawing::growth_line> lines;
    for (auto const& [kind, points] : curves) lines.push_back({kind, points});
    io::write_file(
        argv[1], drawing::growth_picture("First fit, largest first: seconds against buffers", lines, {1e-4}, guide()));
    return 0;
}
