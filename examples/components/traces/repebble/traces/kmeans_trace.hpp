#ifndef REPEBBLE_TRACES_KMEANS_TRACE_HPP
#define REPEBBLE_TRACES_KMEANS_TRACE_HPP

// The trace of an iteration of k-means (Lloyd 1982), the example of Chen, section 5, that is no network: the samples
// have memory all the time, so that their reuse intervals go round the iteration.

#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/traces/trace.hpp>

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

class builder {
  public:
    explicit builder(kmeans_options const& o) : o_(o) {}

    [[nodiscard]] auto build() && -> trace;

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
    void compute(std::vector<variable_index> const& reads, variable_index written, double flops, double traffic);

    kmeans_options const& o_;
    trace out_{};
    std::int64_t now_ = 0;
};

}  // namespace detail

/// One iteration of k-means in nanoseconds: for each chunk of samples distances to all centroids, which are freed, and
/// labels; then sums of the samples of each label, chunk by chunk, and new centroids. Samples, labels and centroids
/// have memory all the time.  O(chunks).  Throws bad_option, naming the option, where a number is none, bad_weight
/// where bytes overflow.
[[nodiscard]] auto kmeans_trace(kmeans_options const& o = {}) -> trace;

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/traces/kmeans_trace.ipp>
#endif

#endif
