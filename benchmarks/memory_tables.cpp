// How much of the memory do in-place operations, sharing and offsets save? Every network of the builders, training (all
// values kept) and inference, with memory given out in five ways: the question of MXNet's note and of Chen et al. 2016,
// section 3. Markdown on standard output; a picture to the file that an argument names. The page is memory_tables.md.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/graph/training/forward_part.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/recompute/forward_only.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "measure/cheap.hpp"

namespace {

using namespace repebble;

constexpr std::array ways{"none", "in-place", "sharing", "both", "offsets"};

struct row {
    std::string network;
    std::array<bytes, ways.size()> needed{};
    bytes peak = 0;  ///< of the schedule with in-place steps: what offsets cannot go below
};

[[nodiscard]] auto total(schedule_lifetimes const& all) -> bytes {
    bytes sum = 0;
    for (auto const& b : all.buffers) sum = checked_add(sum, b.size);
    return sum;
}

[[nodiscard]] auto measured(std::string name, dataflow const& flow, schedule<> const& plain, schedule<> const& in_place)
    -> row {
    auto const apart = find_lifetimes(flow, plain);
    auto const joined = find_lifetimes(flow, in_place);
    auto const whole = make_arena(flow, in_place);
    return {std::move(name),
            {total(apart), total(joined), share_blocks(apart.buffers).total, share_blocks(joined.buffers).total,
             whole.size},
            whole.peak};
}

[[nodiscard]] auto gigabytes(bytes b) -> double { return static_cast<double>(b) / 1e9; }
[[nodiscard]] auto percent(bytes part, bytes whole) -> double {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_table(char const* title, std::vector<row> const& rows) {
    std::printf("\n## %s\n\n| network | none |", title);
    for (std::size_t w = 1; w < ways.size(); ++w) std::printf(" %s |", ways[w]);
    std::printf(" none / offsets | offsets / peak |\n|---|--:|");
    for (std::size_t w = 1; w < ways.size(); ++w) std::printf("--:|");
    std::printf("--:|--:|\n");
    std::array<double, ways.size()> mean{};
    for (auto const& r : rows) {
        std::printf("| %s | %.3f GB |", r.network.c_str(), gigabytes(r.needed[0]));
        for (std::size_t w = 0; w < ways.size(); ++w) {
            mean[w] += percent(r.needed[w], r.needed[0]) / static_cast<double>(rows.size());
            if (w > 0) std::printf(" %.3f GB, %.1f %% |", gigabytes(r.needed[w]), percent(r.needed[w], r.needed[0]));
        }
        std::printf(" %.2f | %.4f |\n", percent(r.needed[0], r.needed[4]) / 100, percent(r.needed[4], r.peak) / 100);
    }
    std::printf("| *mean* | |");
    for (std::size_t w = 1; w < ways.size(); ++w) std::printf(" %.1f %% |", mean[w]);
    std::printf(" | |\n");
}

/// Bars: of each network, what every way needs in % of none.
void draw(std::ofstream& svg, int left, char const* title, std::vector<row> const& rows) {
    constexpr std::array colours{"#b8bcc4", "#7aa6d8", "#8fc48a", "#2f7f4f", "#c8452f"};
    constexpr int top = 56, bar = 6, width = 300;
    svg << "<text x=\"" << left + 110 << "\" y=\"24\" font-weight=\"bold\">" << title << "</text>\n";
    for (std::size_t w = 0; w < ways.size(); ++w)
        svg << "<rect x=\"" << left + 110 + 62 * static_cast<int>(w) << "\" y=\"33\" width=\"10\" height=\"10\" fill=\""
            << colours[w] << "\"/><text x=\"" << left + 124 + 62 * static_cast<int>(w) << "\" y=\"42\">" << ways[w]
            << "</text>\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const y = top + static_cast<int>(i) * (bar * static_cast<int>(ways.size()) + 10);
        svg << "<text x=\"" << left + 104 << "\" y=\"" << y + 20 << "\" text-anchor=\"end\">" << rows[i].network
            << "</text>\n";
        for (std::size_t w = 0; w < ways.size(); ++w)
            svg << "<rect x=\"" << left + 110 << "\" y=\"" << y + bar * static_cast<int>(w) << "\" width=\""
                << width * percent(rows[i].needed[w], rows[i].needed[0]) / 100 << "\" height=\"" << bar - 1
                << "\" fill=\"" << colours[w] << "\"><title>" << rows[i].network << ", " << ways[w] << ": "
                << gigabytes(rows[i].needed[w]) << " GB</title></rect>\n";
    }
}

}  // namespace

int main(int argc, char** argv) {
    static_cast<void>(measure::take_cheap(argc, argv));  // all is
    std::vector<row> training_rows, inference_rows;
    for (std::string const name :
         {"resnet18", "resnet50", "resnet152", "resnet1001", "vgg19", "vgg19_bn", "densenet161", "googlenet",
          "googlenet_2015", "unet", "pspnet", "lstm", "gpt2", "gpt2_medium"}) {
        auto const net = networks::network_of(networks::by_name(name));
        auto const training = io::make_training_graph(net);
        auto const kept = keep_all(training).schedule;
        training_rows.push_back(measured(name, training.flow, kept,
                                         write_in_place(training.flow, kept, io::find_overwrites(net, training))));
        auto const forward = detail::forward_part(training);
        auto const once = forward_only(forward.flow).schedule;
        inference_rows.push_back(
            measured(name, forward.flow, once, write_in_place(forward.flow, once, io::find_overwrites(net, forward))));
        std::fprintf(stderr, "%s\n", name.c_str());
    }
    print_table("Training", training_rows);
    print_table("Inference", inference_rows);
    if (argc > 1) {
        std::ofstream svg(argv[1]);
        svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"880\" height=\"" << 70 + 40 * training_rows.size()
            << "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
               "fill=\"white\"/>\n";
        draw(svg, 0, "Training: % of one block of memory per value", training_rows);
        draw(svg, 440, "Inference", inference_rows);
        svg << "</svg>\n";
    }
    return 0;
}
