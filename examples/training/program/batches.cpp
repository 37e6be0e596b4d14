#include "batches.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>

#include <repebble/execute/fill_pattern.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/training/bfloat16.hpp>
#include <repebble/training/index_bound.hpp>
#include <repebble/training/initial_values.hpp>
#include <repebble/training/random_numbers.hpp>

namespace train {

using namespace repebble;

namespace {

template <class T>
auto raw(std::vector<T> const& values) -> std::vector<std::byte> {
    return training::detail::as_bytes(values);
}

auto parse_line(std::string const& path, std::size_t number, std::string_view line) -> std::vector<double> {
    std::vector<double> fields;
    while (!line.empty()) {
        double x = 0;
        auto const [end, wrong] = std::from_chars(line.data(), line.data() + line.size(), x);
        bool const last = end == line.data() + line.size();
        bool const stops = last || (*end == ',' && end + 1 != line.data() + line.size());
        if (wrong != std::errc{} || !stops)
            throw bad_file(path, "line " + std::to_string(number) + " is not numbers with commas between");
        fields.push_back(x);
        line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(end - line.data()) + 1));
    }
    return fields;
}

}  // namespace

auto synthetic_batch(networks::model const& m, std::uint64_t seed, std::uint64_t number) -> batch {
    batch all;
    for (std::uint32_t i = 0; i < m.inputs().size(); ++i) {
        auto const& t = m.inputs()[i].tensor;
        auto const count = static_cast<std::size_t>(t.volume());
        training::random_numbers const random(fill_pattern{seed}.word(number * 64 + i));
        if (t.type == networks::element::int64) {
            all.push_back(raw(random.indices(count, training::index_bound(m, i).value_or(1))));
        } else {
            std::vector<float> values(count);
            for (std::size_t k = 0; k < count; ++k) values[k] = static_cast<float>(random.normal(k));
            all.push_back(training::as_stored(values, t.type));
        }
    }
    return all;
}

auto read_data(std::string const& path) -> data_set {
    data_set all;
    std::istringstream lines(io::read_file(path));
    std::string line;
    std::size_t images = 0;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) continue;
        auto const fields = parse_line(path, number, line);
        auto const pixels = fields.size() - 1;
        auto const side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(pixels))));
        if (fields.size() < 2 || side * side != pixels || (all.train.side != 0 && side != all.train.side))
            throw bad_file(path, "line " + std::to_string(number) + " has " + std::to_string(pixels) +
                                     " pixels: not a square, or not as many as those before");
        auto const label = fields.back();
        if (!(label >= 0) || label != std::floor(label) || label > 1e6)
            throw bad_file(path, "line " + std::to_string(number) + ": its label must be a whole number from 0 on");
        for (std::size_t k = 0; k < pixels; ++k)
            if (!(fields[k] >= 0 && fields[k] <= 16))
                throw bad_file(path, "line " + std::to_string(number) + ": pixel " + std::to_string(k + 1) +
                                         " is not from 0 to 16");
        auto& into = ++images % 5 == 0 ? all.test : all.train;
        into.side = side;
        auto& image = into.images.emplace_back();
        for (std::size_t k = 0; k < pixels; ++k) image.push_back(static_cast<float>(fields[k] / 16));
        into.labels.push_back(static_cast<std::int64_t>(label));
        all.train.side = side;
    }
    if (all.train.size() == 0 || all.test.size() == 0) throw bad_file(path, "has fewer than five images");
    return all;
}

auto batch_of(networks::model const& m, labelled_images const& from, std::vector<std::size_t> const& order,
              std::size_t first) -> batch {
    auto const& shape = m.inputs()[0].tensor.shape;
    std::vector<float> pixels;
    std::vector<std::int64_t> labels;
    for (networks::extent k = 0; k < shape[0]; ++k) {
        auto const i = order[(first + static_cast<std::size_t>(k)) % order.size()];
        pixels.insert(pixels.end(), from.images[i].begin(), from.images[i].end());
        labels.push_back(from.labels[i]);
    }
    return {training::as_stored(pixels, m.inputs()[0].tensor.type), raw(labels)};
}

void require_fitting(networks::model const& m, labelled_images const& images) {
    if (m.inputs().size() != 2 || m.inputs()[0].tensor.rank() != 4 || m.inputs()[1].tensor.rank() != 1)
        throw bad_graph(m.name() + " does not take images with a label each");
    auto const& shape = m.inputs()[0].tensor.shape;
    auto const side = static_cast<networks::extent>(images.side);
    if (shape[1] != 1 || shape[2] != side || shape[3] != side)
        throw bad_graph("the images have one channel of " + std::to_string(side) + "x" + std::to_string(side) +
                        " pixels, and " + m.name() + " takes " + networks::to_string(m.inputs()[0].tensor));
    auto const classes = training::index_bound(m, 1).value_or(1);
    for (auto const label : images.labels)
        if (label >= classes)
            throw bad_graph("there is a label " + std::to_string(label) + ", and " + m.name() + " has " +
                            std::to_string(classes) + " classes");
}

auto shuffled(std::size_t n, std::uint64_t seed, std::uint64_t epoch) -> std::vector<std::size_t> {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    fill_pattern const words{fill_pattern{seed}.word(epoch)};
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[words.word(i) % i]);
    return order;
}

}  // namespace train
