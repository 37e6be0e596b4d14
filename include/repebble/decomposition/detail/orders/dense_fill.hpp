#ifndef REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_DENSE_FILL_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_DENSE_FILL_HPP

// Greedy elimination on a bit matrix for dense graphs: a new edge costs one pass over two rows, and its effect on the
// fill of common neighbours is counted for all of them at once in vertical counters (`bit_matrix_rows`). `sparse_fill`
// hands over to it once the remaining graph is dense.
// Invariant: between eliminations every score is exact.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/bits/bit_matrix_rows.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// Eliminates the vertices of a dense graph by fill and degree.
class dense_fill {
  public:
    using word = std::uint64_t;

    /// `names` are the vertices in the resulting order.
    dense_fill(std::vector<std::uint32_t> names, elimination_rule const& rule)
        : names_(std::move(names)), rule_(rule), random_(rule.seed) {
        allocate();
    }

    void connect(std::size_t u, std::size_t v) {
        row(u)[v / 64] |= word{1} << v % 64;
        row(v)[u / 64] |= word{1} << u % 64;
    }
    /// Appends the remaining vertices to the order; returns the largest degree at elimination, or nullopt as soon as
    /// that exceeds `width_limit` or is_over() returns true.
    template <class IsOver>
    [[nodiscard]] auto run(std::vector<std::uint32_t>& order, std::size_t width_limit, IsOver const& is_over)
        -> std::optional<std::size_t> {
        count_fill();
        std::size_t width = 0;
        for (auto left = names_.size(); left > 0; --left) {
            if (2 * left <= names_.size()) shrink(left);
            if (edges_ == left * (left - 1) / 2) {  // a clique
                for (std::size_t v = 0; v < names_.size(); ++v)
                    if (fill_[v] != eliminated) order.push_back(names_[v]);
                width = std::max(width, left - 1);
                return width > width_limit ? std::nullopt : std::optional(width);
            }
            auto const x = best();
            width = std::max<std::size_t>(width, degree_[x]);
            if (width > width_limit || is_over()) return std::nullopt;
            order.push_back(names_[x]);
            eliminate(x);
        }
        return width;
    }

  private:
    static constexpr auto eliminated = std::numeric_limits<std::int64_t>::max();

    /// A vertex of least score.
    [[nodiscard]] auto best() -> std::size_t {
        auto least = eliminated;
        std::size_t found = 0, equal = 0;
        for (std::size_t v = 0; v < names_.size(); ++v) {
            if (fill_[v] == eliminated) continue;
            auto const score = rule_.score(fill_[v], degree_[v]);
            if (score > least) continue;
            equal = score < least ? 1 : equal + 1;
            if (equal == 1 || (rule_.ties == tie_breaking::random && random_.below(equal) == 0)) found = v;
            least = score;
        }
        return found;
    }
    [[nodiscard]] auto row(std::size_t v) -> std::span<word> { return {bits_.data() + v * words_, words_}; }
    void allocate() {
        words_ = (names_.size() + 63) / 64;
        bits_.assign(names_.size() * words_, 0);
        planes_.assign(words_ * common_bits<>::depth, 0);
    }
    void count_fill() {
        auto const n = names_.size();
        fill_.assign(n, 0);
        degree_.assign(n, 0);
        edges_ = 0;
        for (std::size_t v = 0; v < n; ++v) {
            for (auto const bits : row(v)) degree_[v] += static_cast<std::uint32_t>(std::popcount(bits));
            edges_ += degree_[v];
        }
        edges_ /= 2;
        for (std::size_t v = 0; v < n; ++v) {
            std::int64_t missing = 0;
            for (std::size_t k = 0; k < words_; ++k)
                for_each_in_word(row(v)[k], k, [&](std::size_t u) {
                    missing += kernels_.missing(row(v).data(), row(u).data(), words_) - 1;  // without u itself
                });
            fill_[v] = missing / 2;
        }
    }
    void eliminate(std::size_t x) {
        auto const all = row(x);
        auto const d = degree_[x];
        if (fill_[x] > 0) {
            for (std::size_t k = 0; k < words_; ++k)
                for_each_in_word(all[k], k, [&](std::size_t a) {
                    for (auto i = a / 64; i < words_; ++i) {
                        auto missing = all[i] & ~row(a)[i];
                        if (i == a / 64) missing &= ~word{1} << a % 64;
                        for_each_in_word(missing, i, [&](std::size_t b) { join(a, b); });
                    }
                });
            apply_counts();
        }
        for (std::size_t k = 0; k < words_; ++k)
            for_each_in_word(all[k], k, [&](std::size_t u) {
                fill_[u] -= degree_[u] - d;
                --degree_[u];
                row(u)[x / 64] &= ~(word{1} << x % 64);
            });
        edges_ -= d;
        fill_[x] = eliminated;
        std::ranges::fill(all, 0);
    }
    /// Adds an edge between two neighbours of the vertex being eliminated.
    void join(std::size_t a, std::size_t b) {
        auto const common = kernels_.count_common({row(a).data(), row(b).data(), words_, planes_.data()});
        fill_[a] += degree_[a]++ - common;
        fill_[b] += degree_[b]++ - common;
        connect(a, b);
        ++edges_;
        if (++counted_ == most_counted) apply_counts();
    }
    /// Subtracts from each vertex's fill the number of edges added between its neighbours, as counted in the planes.
    void apply_counts() {
        auto const deep = static_cast<std::size_t>(std::bit_width(counted_));
        for (std::size_t k = 0; k < words_; ++k)
            for (std::size_t p = 0; p < deep; ++p) {
                auto& plane = planes_[k * common_bits<>::depth + p];
                for_each_in_word(plane, k, [&](std::size_t v) {
                    if (fill_[v] != eliminated) fill_[v] -= std::int64_t{1} << p;
                });
                plane = 0;
            }
        counted_ = 0;
    }
    /// Compacts the matrix to the remaining vertices.
    void shrink(std::size_t left) {
        std::vector<std::size_t> old;
        old.reserve(left);
        for (std::size_t v = 0; v < names_.size(); ++v)
            if (fill_[v] != eliminated) old.push_back(v);
        auto const bits = std::move(bits_);
        auto const words = words_;
        std::vector<std::uint32_t> names(left), degree(left);
        std::vector<std::int64_t> fill(left);
        for (std::size_t v = 0; v < left; ++v) {
            names[v] = names_[old[v]];
            degree[v] = degree_[old[v]];
            fill[v] = fill_[old[v]];
        }
        names_ = std::move(names);
        degree_ = std::move(degree);
        fill_ = std::move(fill);
        allocate();
        for (std::size_t v = 0; v < left; ++v)
            for (std::size_t u = 0; u < left; ++u)
                row(v)[u / 64] |= (bits[old[v] * words + old[u] / 64] >> old[u] % 64 & 1U) << u % 64;
    }

    static constexpr std::uint32_t most_counted = (1U << common_bits<>::depth) - 1;

    std::vector<std::uint32_t> names_;
    elimination_rule rule_;
    split_mix random_;
    std::size_t words_ = 0, edges_ = 0;
    std::vector<word> bits_, planes_;
    std::vector<std::int64_t> fill_;  // edges missing between the neighbours, or `eliminated`
    std::vector<std::uint32_t> degree_;
    std::uint32_t counted_ = 0;
    bit_kernels kernels_ = select_bit_kernels();
};

}  // namespace repebble::inline v0::detail

#endif
