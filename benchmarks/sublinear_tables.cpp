// How do memory and time of training grow with depth, and with the steps of a recurrent network? Figures 5 to 7 of Chen
// et al. 2016: without optimisation, in place, with shared memory, with cheap results dropped, and by segments that are
// computed again:  benchmark_sublinear_tables RESNET.svg LSTM.svg [MOST_LAYERS] [MOST_STEPS]   Markdown on standard
// output. The page is sublinear_tables.md.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_mirror.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/roofline.hpp>
#include <repebble/networks/trained_parameters.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/search_segments.hpp>

#include "drawing/growth_picture.hpp"
#include "measure/cheap.hpp"

namespace {

using namespace repebble;

/// Ways to give out memory, in the order of the columns.
enum column : std::size_t { nothing, in_place, sharing, offsets, dropping, sublinear_blocks, sublinear, column_count };
constexpr std::array<char const*, column_count> names{"no optimisation", "in-place",          "sharing",  "offsets",
                                                      "drop bn-relu",    "sublinear, blocks", "sublinear"};

/// A plan by segments beside its bytes.
struct found_plan {
    std::size_t segments = 0;
    double again = 0;  ///< forward work that is done again, of that of one forward pass
    double seconds = 0;
};

struct row {
    int size = 0;  ///< layers or steps
    std::size_t operations = 0;
    std::array<std::optional<bytes>, column_count> needed{};
    std::array<bytes, 2> of_weights{};  ///< bytes of all gradients of parameters, apart and in place
    std::array<found_plan, 2> found{};  ///< by blocks, by offsets
    bytes beside = 0;                   ///< what lies beside the values: parameters, gradients of them, inputs
    std::int64_t once = 0, again = 0;   ///< nanoseconds of a step, and those that the plan by offsets adds
};

/// The card of figure 7, NVIDIA's Titan X of 2015, at 80 % of its 6.14 TFLOP/s and 336 GB/s.
constexpr networks::roofline titan_x{0.8 * 6.14e12, 0.8 * 336e9};

[[nodiscard]] auto total(schedule_lifetimes const& all) -> bytes {
    bytes sum = 0;
    for (auto const& b : all.buffers) sum = checked_add(sum, b.size);
    return sum;
}
[[nodiscard]] auto total_of_weights(training_graph const& training, schedule_lifetimes const& all) -> bytes {
    bytes sum = 0;
    for (std::size_t i = 0; i < all.buffers.size(); ++i) {
        auto const& use = all.uses[i];
        if (use.what != buffer_use::kind::storage) continue;
        auto const v = training.flow.producers(use.storage.value).front();
        if (training.origin[v].pass == pass::parameter) sum = checked_add(sum, all.buffers[i].size);
    }
    return sum;
}
[[nodiscard]] auto blocks(dataflow const& flow, schedule<> const& plan) -> bytes {
    return share_blocks(find_lifetimes(flow, plan).buffers).total;
}

/// What it takes when everything is kept, and by the best plans by segments; times are those of the same graph on the
/// card.
[[nodiscard]] auto measured(int size, io::network const& net, training_graph const& training,
                            training_graph const& on_card, segment_options options) -> row {
    auto const rule = io::find_overwrites(net, training);
    options.may_overwrite = rule;
    auto const& flow = training.flow;
    row r{.size = size, .operations = flow.operation_count(), .once = on_card.flow.time_once()};
    auto const apart = keep_all(training).schedule;
    auto const joined = write_in_place(flow, apart, rule);
    auto const lives_apart = find_lifetimes(flow, apart);
    auto const lives_joined = find_lifetimes(flow, joined);
    r.needed[nothing] = total(lives_apart);
    r.needed[in_place] = total(lives_joined);
    r.of_weights = {total_of_weights(training, lives_apart), total_of_weights(training, lives_joined)};
    r.needed[sharing] = share_blocks(lives_joined.buffers).total;
    r.needed[offsets] = make_arena(flow, joined).size;
    auto const forward = static_cast<double>(flow.time_once()) / 3;
    options.threads = 2;
    for (auto const& [measure, of] :
         {std::pair{memory_measure::blocks, sublinear_blocks}, {memory_measure::arena, sublinear}}) {
        options.measure = measure;
        auto const begin = std::chrono::steady_clock::now();
        auto const search = search_segments(training, {}, options);
        std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
        auto const& best = search.winner();
        r.needed[of] = best.size;
        r.again = replay(on_card.flow, best.plan.schedule).overhead;
        r.found[of - sublinear_blocks] = {best.mirrors.segments, static_cast<double>(best.plan.cost.overhead) / forward,
                                          taken.count()};
    }
    return r;
}

[[nodiscard]] auto input_size(io::network const& net) -> bytes { return net.extra().at("input_bytes").get<bytes>(); }

[[nodiscard]] auto resnet(int layers) -> row {
    auto const name = "resnet" + std::to_string(layers) + "_imagenet";
    auto const model = networks::by_name(name, {.batch = 32, .resolution = 224});
    auto const net = networks::network_of(model);
    auto const training = io::make_training_graph(net);
    auto r = measured(layers, net, training, io::make_training_graph(networks::network_of(model, titan_x)),
                      {.candidates = {.where = cut_points::articulation}});
    r.beside = 2 * model.trained_size() + input_size(net);
    auto const dropped = drop_cheap(training, io::is_cheap_in{&net}).schedule;
    r.needed[dropping] =
        blocks(training.flow, write_in_place(training.flow, dropped, io::find_overwrites(net, training)));
    return r;
}

[[nodiscard]] auto lstm(int steps) -> row {
    auto const model = networks::by_name("lstm_frames", {.length = steps});
    auto const net = networks::network_of(model);
    auto const made = [&](io::network const& of) {
        return io::make_training_graph(of, convention::executable, networks::parameters_of(model));
    };
    auto r = measured(steps, net, made(net), made(networks::network_of(model, titan_x)),
                      {.candidates = {.where = cut_points::narrow_places}});
    r.beside = model.trained_size() + input_size(net);  // gradients of parameters are values here
    return r;
}

[[nodiscard]] auto gigabytes(bytes b) -> double { return static_cast<double>(b) / 1e9; }

/// The exponent of the power of the size that fits the points best, in logarithms.
[[nodiscard]] auto slope(std::vector<row> const& rows, column c) -> double {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (auto const& r : rows) {
        double const a = std::log(r.size), b = std::log(gigabytes(*r.needed[c]));
        n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

void print_table(char const* title, char const* sizes, std::vector<row> const& rows, bool weights, bool slopes) {
    std::printf("\n## %s\n\n| %s | operations |", title, sizes);
    std::vector<column> shown;
    for (std::size_t c = 0; c < column_count; ++c)
        if (rows.front().needed[c]) shown.push_back(static_cast<column>(c));
    for (auto const c : shown) std::printf(" %s |", names[c]);
    std::printf("%s\n|--:|--:|", weights ? " weights' gradients apart | in place |" : "");
    for (std::size_t c = 0; c < shown.size() + (weights ? 2 : 0); ++c) std::printf("--:|");
    std::printf("\n");
    for (auto const& r : rows) {
        std::printf("| %d | %zu |", r.size, r.operations);
        for (auto const c : shown) std::printf(" %.3f GB |", gigabytes(*r.needed[c]));
        if (weights)
            for (auto const b : r.of_weights) std::printf(" %.3f GB |", gigabytes(b));
        std::printf("\n");
    }
    if (slopes) {
        std::printf("| *slope* | |");
        for (auto const c : shown) std::printf(" %.2f |", slope(rows, c));
        std::printf("%s\n", weights ? " | |" : "");
    }
    std::printf(
        "\n| %s | sharing / sublinear, blocks | offsets / sublinear | segments | forward work again | search |"
        " segments, blocks | forward work again | search |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        sizes);
    auto const ratio = [](row const& r, column a, column b) {
        return gigabytes(*r.needed[a]) / gigabytes(*r.needed[b]);
    };
    for (auto const& r : rows) {
        std::printf("| %d | %.2f | %.2f |", r.size, ratio(r, sharing, sublinear_blocks), ratio(r, offsets, sublinear));
        for (auto const& f : {r.found[1], r.found[0]})
            std::printf(" %zu | %.1f %% | %.1f s |", f.segments, 100 * f.again, f.seconds);
        std::printf("\n");
    }
    std::printf(
        "\n| %s | offsets, in all | sublinear, in all | a step, ms | sublinear, ms | more time |\n"
        "|--:|--:|--:|--:|--:|--:|\n",
        sizes);
    for (auto const& r : rows) {
        auto const milliseconds = [](std::int64_t t) { return static_cast<double>(t) / 1e6; };
        std::printf("| %d | %.3f GB | %.3f GB | %.1f | %.1f | %.1f %% |\n", r.size,
                    gigabytes(*r.needed[offsets] + r.beside), gigabytes(*r.needed[sublinear] + r.beside),
                    milliseconds(r.once), milliseconds(r.once + r.again),
                    100 * static_cast<double>(r.again) / static_cast<double>(r.once));
    }
    std::fflush(stdout);
}

void draw(char const* file, char const* title, std::vector<row> const& rows) {
    std::vector<drawing::growth_line> lines;
    double least = gigabytes(*rows.front().needed[sublinear]);
    for (auto const c : {nothing, in_place, sharing, offsets, sublinear, sublinear_blocks, dropping}) {
        if (!rows.front().needed[c]) continue;
        bool const thin = c == sublinear_blocks;
        auto& line = lines.emplace_back(drawing::growth_line{names[thin ? sublinear : c], {}, thin});
        for (auto const& r : rows) {
            line.points.push_back({static_cast<double>(r.size), gigabytes(*r.needed[c])});
            least = std::min(least, line.points.back().value);
        }
    }
    io::write_file(file,
                   drawing::growth_picture(title, lines, {.least = least / 1.2, .unit = "GB", .few_decades = true}));
}

template <class Measure>
[[nodiscard]] auto rows_of(std::vector<int> const& sizes, int most, char const* what, Measure const& measure)
    -> std::vector<row> {
    std::vector<row> rows;
    for (int const size : sizes) {
        if (size > most && !rows.empty()) break;
        rows.push_back(measure(size));
        std::fprintf(stderr, "%d %s\n", size, what);
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv) {
    if (measure::take_cheap(argc, argv)) {
        print_table("ResNet", "layers", {resnet(101), resnet(200)}, false, false);
        print_table("LSTM", "steps", {lstm(16)}, true, false);
        return 0;
    }
    if (argc < 3) {
        std::fprintf(stderr,
                     "usage: benchmark_sublinear_tables --cheap | RESNET.svg LSTM.svg [MOST_LAYERS] [MOST_STEPS]\n");
        return 2;
    }
    auto const most = [&](int i) { return argc > i ? std::atoi(argv[i]) : 10'000; };
    auto const by_depth = rows_of({101, 200, 299, 401, 500, 599, 701, 800, 899, 1001}, most(3), "layers", resnet);
    print_table("ResNet", "layers", by_depth, false, true);
    draw(argv[1], "ResNet, batch 32 of 224 x 224: GB against layers (thin: in whole blocks)", by_depth);
    auto const by_steps = rows_of({8, 16, 32, 64, 128, 256, 512}, most(4), "steps", lstm);
    print_table("LSTM", "steps", by_steps, true, true);
    draw(argv[2], "LSTM, 4 layers of 1024, batch 64: GB against steps (thin: in whole blocks)", by_steps);
    return 0;
}
