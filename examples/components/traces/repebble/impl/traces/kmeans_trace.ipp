#ifndef REPEBBLE_IMPL_TRACES_KMEANS_TRACE_IPP
#define REPEBBLE_IMPL_TRACES_KMEANS_TRACE_IPP

#include <repebble/traces/kmeans_trace.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto builder::build() && -> trace {
    auto const centroids = add(product(o_.clusters, o_.dimensions));
    std::vector<variable_index> samples, labels;
    for (std::int64_t c = 0; c < o_.chunks; ++c) {
        samples.push_back(add(product(points(c), o_.dimensions)));
        labels.push_back(add(product(points(c), 1)));
    }
    for (std::int64_t c = 0; c < o_.chunks; ++c) {
        auto const k = static_cast<std::size_t>(c);
        auto const distances = add(product(points(c), o_.clusters));
        row(trace_action::malloc, distances);
        auto const n = static_cast<double>(points(c));
        auto const cells = n * static_cast<double>(o_.clusters);
        compute({samples[k], centroids}, distances, 3 * cells * static_cast<double>(o_.dimensions),
                4 * (n * static_cast<double>(o_.dimensions) + cells));
        compute({distances}, labels[k], cells, 4 * cells);
        row(trace_action::free, distances);
    }
    auto const sums = add(product(o_.clusters, o_.dimensions + 1));
    row(trace_action::malloc, sums);
    for (std::int64_t c = 0; c < o_.chunks; ++c) {
        auto const k = static_cast<std::size_t>(c);
        auto const numbers = static_cast<double>(points(c)) * static_cast<double>(o_.dimensions);
        std::vector<variable_index> reads{samples[k], labels[k]};
        if (c > 0) reads.push_back(sums);
        compute(reads, sums, numbers, 4 * numbers);
    }
    auto const numbers = static_cast<double>(o_.clusters) * static_cast<double>(o_.dimensions);
    compute({sums}, centroids, numbers, 8 * numbers);
    row(trace_action::free, sums);
    out_.duration = now_;
    check_trace(out_);
    return std::move(out_);
}

REPEBBLE_INLINE void builder::compute(std::vector<variable_index> const& reads, variable_index written, double flops,
                                      double traffic) {
    auto const c = static_cast<computation_index>(out_.computations.size());
    out_.computations.emplace_back();
    for (auto const v : reads) row(trace_action::read, v, c);
    row(trace_action::write, written, c);
    auto const seconds = std::max(flops / o_.flops_per_second, traffic / o_.bytes_per_second);
    if (!(seconds < 1e9)) raise(bad_option("k-means: a computation takes more than 1e9 seconds"));
    now_ = checked_add(now_, std::max<std::int64_t>(1, std::llround(seconds * 1e9)), "times of a trace");
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto kmeans_trace(kmeans_options const& o) -> trace {
    for (auto const& [what, count] : {std::pair{"points", o.points}, std::pair{"dimensions", o.dimensions},
                                      std::pair{"clusters", o.clusters}, std::pair{"chunks", o.chunks}})
        if (count < 1)
            detail::raise(
                bad_option("k-means: " + std::string(what) + " must be at least 1, but is " + std::to_string(count)));
    if (o.chunks > o.points) detail::raise(bad_option("k-means: there are more chunks than points"));
    if (!(o.flops_per_second > 0) || !(o.bytes_per_second > 0))
        detail::raise(bad_option("k-means: rates must be above 0"));
    return detail::builder(o).build();
}

}  // namespace repebble::inline v0

#endif
