// How good are offsets, and how do time and memory grow with the number of buffers? For tables of buffers, smallest
// first:  benchmark_offset_tables PICTURE.svg FILE.csv...   Markdown on standard output. The page is offset_tables.md;
// allocation_instances.py makes the instances.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/first_fit.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/io/csv_buffers.hpp>

namespace {

using namespace repebble;

struct user_clock {
    [[nodiscard]] static auto usage() -> rusage {
        rusage u{};
        getrusage(RUSAGE_SELF, &u);
        return u;
    }
    [[nodiscard]] static auto seconds() -> double {
        auto const t = usage().ru_utime;
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    }
};

template <class F>
[[nodiscard]] auto timed(F&& f) {
    auto const begin = user_clock::seconds();
    auto result = f();
    return std::pair(std::move(result), user_clock::seconds() - begin);
}

struct point {
    double buffers;
    double seconds;
};

void draw(std::ofstream& svg, std::map<std::string, std::vector<point>> const& curves) {
    constexpr std::array colours{"#2f6fb0", "#c8452f", "#2f7f4f", "#8a5cb8", "#b8860b", "#555555"};
    auto const x = [](double n) { return 60 + 130 * (std::log10(n) - 2); };
    auto const y = [](double s) { return 300 - 45 * (std::log10(std::max(s, 1e-4)) + 4); };
    svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"350\" font-family=\"sans-serif\" "
           "font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
           "<text x=\"60\" y=\"20\" font-weight=\"bold\">First fit, largest first: user-CPU seconds against buffers, "
           "both logarithmic; dotted: n log n</text>\n";
    for (int e = 2; e <= 6; ++e)
        svg << "<line x1=\"" << x(std::pow(10, e)) << "\" y1=\"30\" x2=\"" << x(std::pow(10, e))
            << "\" y2=\"300\" stroke=\"#ddd\"/><text x=\"" << x(std::pow(10, e))
            << "\" y=\"316\" text-anchor=\"middle\">10^" << e << "</text>\n";
    for (int e = -4; e <= 1; ++e)
        svg << "<line x1=\"60\" y1=\"" << y(std::pow(10, e)) << "\" x2=\"580\" y2=\"" << y(std::pow(10, e))
            << "\" stroke=\"#ddd\"/><text x=\"54\" y=\"" << y(std::pow(10, e)) + 4 << "\" text-anchor=\"end\">10^" << e
            << " s</text>\n";
    svg << "<polyline fill=\"none\" stroke=\"#999\" stroke-dasharray=\"2 3\" points=\"";
    for (double n = 1e3; n <= 1e6; n *= 10) svg << x(n) << ',' << y(2.2e-7 * n * std::log2(n) / 2) << ' ';
    svg << "\"/>\n";
    std::size_t k = 0;
    for (auto const& [kind, points] : curves) {
        auto const* const colour = colours[k % colours.size()];
        svg << "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" << colour << "\" points=\"";
        for (auto const& p : points) svg << x(p.buffers) << ',' << y(p.seconds) << ' ';
        svg << "\"/>\n";
        for (auto const& p : points)
            svg << "<circle r=\"2.5\" cx=\"" << x(p.buffers) << "\" cy=\"" << y(p.seconds) << "\" fill=\"" << colour
                << "\"/>\n";
        svg << "<text x=\"592\" y=\"" << 60 + 18 * k++ << "\" fill=\"" << colour << "\">" << kind << "</text>\n";
    }
    svg << "</svg>\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: benchmark_offset_tables PICTURE.svg FILE.csv...\n");
        return 2;
    }
    std::printf(
        "| instance | buffers | bound | read | first fit, largest first | | limit | `assign_offsets` | | memory |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    std::map<std::string, std::vector<point>> curves;  // by kind: the part of the name before a dash
    for (int i = 2; i < argc; ++i) {
        std::filesystem::path const file = argv[i];
        auto const [table, reading] = timed([&] { return io::read_buffers(file); });
        auto const& buffers = table.buffers;
        auto const n = buffers.size();
        auto const [simple, simple_seconds] = timed([&] { return first_fit(buffers); });
        offset_options const options{.time_limit = n > 500'000  ? 9
                                                   : n > 50'000 ? 0.95
                                                   : n > 15'000 ? 0.45
                                                                : 1.9,
                                     .effort = 1e9};
        auto const [plan, seconds] = timed([&] { return assign_offsets(buffers, options); });
        auto const over = [&](bytes height) {
            return static_cast<double>(height) / static_cast<double>(plan.lower_bound);
        };
        auto const name = file.stem().string();
        std::printf("| %s | %zu | %lld | %.2f s | %.4f | %.3f s | %.2f s | **%.4f**%s | %.2f s | %ld MB |\n",
                    name.c_str(), n, static_cast<long long>(plan.lower_bound), reading,
                    over(verify_offsets(buffers, simple).height), simple_seconds, *options.time_limit,
                    over(plan.height), plan.proof == offset_proof::least ? " least" : "", seconds,
                    user_clock::usage().ru_maxrss / 1024);
        std::fflush(stdout);
        if (auto const dash = name.find('-'); dash != name.npos)
            curves[name.substr(0, dash)].push_back({static_cast<double>(n), simple_seconds});
    }
    std::ofstream svg(argv[1]);
    draw(svg, curves);
}
