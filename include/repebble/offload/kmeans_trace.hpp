#ifndef REPEBBLE_OFFLOAD_KMEANS_TRACE_HPP
#define REPEBBLE_OFFLOAD_KMEANS_TRACE_HPP

// The trace of an iteration of k-means (Lloyd 1982), the example of Chen, section 5, that is no network: the samples
// have memory all the time, so that their reuse intervals go round the iteration.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/offload/trace.hpp>

namespace repebble::inline v0 {

/// A k-means problem, and a machine by the roofline model.
struct kmeans_options {
    std::int64_t points = 1 << 20;    ///< samples
    std::int64_t dimensions = 128;    ///< numbers of each, of 4 bytes
    std::int64_t clusters = 1024;     ///< centroids
    std::int64_t chunks = 32;         ///< parts of the samples, each a variable
    double flops_per_second = 11e12;  ///< of the device; the defaults are about those of an NVIDIA GTX 1080 Ti
    double bytes_per_second = 484e9;  ///< of its memory
};

namespace detail {

struct kmeans_trace_fn {
    [[nodiscard]] auto operator()(kmeans_options const& o = {}) const -> trace {
        for (auto const& [what, count] : {std::pair{"points", o.points}, std::pair{"dimensions", o.dimensions},
                                          std::pair{"clusters", o.clusters}, std::pair{"chunks", o.chunks}})
            if (count < 1)
                raise(bad_option("k-means: " + std::string(what) + " must be at least 1, but is " +
                                 std::to_string(count)));
        if (o.chunks > o.points) raise(bad_option("k-means: there are more chunks than points"));
        if (!(o.flops_per_second > 0) || !(o.bytes_per_second > 0)) raise(bad_option("k-means: rates must be above 0"));
        return builder(o).build();
    }

  private:
    class builder {
      public:
        explicit builder(kmeans_options const& o) : o_(o) {}

        [[nodiscard]] auto build() && -> trace {
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

      private:
        [[nodiscard]] auto points(std::int64_t chunk) const -> std::int64_t {
            return o_.points / o_.chunks + (chunk < o_.points % o_.chunks ? 1 : 0);
        }
        /// Bytes of so many numbers.
        [[nodiscard]] static auto product(std::int64_t rows, std::int64_t columns) -> bytes {
            return checked_multiply(checked_multiply(rows, columns), bytes{4});
        }
        auto add(bytes size) -> variable_index {
            out_.sizes.push_back(size);
            return static_cast<variable_index>(out_.sizes.size() - 1);
        }
        void row(trace_action what, variable_index v, computation_index c = no_computation) {
            out_.rows.push_back({now_, what, v, c});
        }
        void compute(std::vector<variable_index> const& reads, variable_index written, double flops, double traffic) {
            auto const c = static_cast<computation_index>(out_.computations.size());
            out_.computations.emplace_back();
            for (auto const v : reads) row(trace_action::read, v, c);
            row(trace_action::write, written, c);
            auto const seconds = std::max(flops / o_.flops_per_second, traffic / o_.bytes_per_second);
            if (!(seconds < 1e9)) raise(bad_option("k-means: a computation takes more than 1e9 seconds"));
            now_ = checked_add(now_, std::max<std::int64_t>(1, std::llround(seconds * 1e9)), "times of a trace");
        }

        kmeans_options const& o_;
        trace out_{};
        std::int64_t now_ = 0;
    };
};

}  // namespace detail

/// One iteration of k-means in nanoseconds: for each chunk of samples distances to all centroids, which are freed, and
/// labels; then sums of the samples of each label, chunk by chunk, and new centroids. Samples, labels and centroids
/// have memory all the time.  O(chunks).  Throws bad_option, naming the option, where a number is none, bad_weight
/// where bytes overflow.
inline constexpr detail::kmeans_trace_fn kmeans_trace{};

}  // namespace repebble::inline v0

#endif
