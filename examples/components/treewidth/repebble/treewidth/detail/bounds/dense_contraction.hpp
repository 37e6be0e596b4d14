#ifndef REPEBBLE_TREEWIDTH_DETAIL_BOUNDS_DENSE_CONTRACTION_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_BOUNDS_DENSE_CONTRACTION_HPP

// The contraction lower bound on dense graphs, on a bit matrix that is compacted whenever half of its vertices are
// removed. `find_contraction_bound` switches to it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/bits/bit_matrix_rows.hpp>

namespace repebble::inline v0::detail {

/// Contracts vertices of least degree into the neighbour with the fewest common neighbours.
class dense_contraction {
  public:
    using word = std::uint64_t;

    explicit dense_contraction(std::size_t vertices)
        : degree_(vertices, 0), ties_(vertices, 0), words_((vertices + 63) / 64) {
        bits_.assign(vertices * words_, 0);
    }
    void connect(std::size_t u, std::size_t v) {
        set(u, v);
        set(v, u);
        ++degree_[u];
        ++degree_[v];
    }
    /// Among vertices of equal degree the one with the least tie is contracted first.
    void set_tie(std::size_t v, std::uint32_t tie) { ties_[v] = tie; }

    /// The largest minimum degree met, or `bound` if that is larger.
    [[nodiscard]] auto run(std::size_t bound) -> std::size_t {
        for (auto left = degree_.size(); left > bound + 1; --left) {
            if (2 * left <= degree_.size()) shrink(left);
            std::size_t v = 0;
            for (std::size_t u = 1; u < degree_.size(); ++u)
                if (degree_[u] < degree_[v] || (degree_[u] == degree_[v] && ties_[u] < ties_[v])) v = u;
            bound = std::max<std::size_t>(bound, degree_[v]);
            contract(v);
        }
        return bound;
    }

  private:
    static constexpr auto removed = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] auto row(std::size_t v) -> word* { return bits_.data() + v * words_; }
    void set(std::size_t u, std::size_t v) { row(u)[v / 64] |= word{1} << v % 64; }
    /// Contracts a vertex into the neighbour with the fewest common neighbours.
    void contract(std::size_t v) {
        auto* const all = row(v);
        auto into = degree_.size();
        auto most_exclusive = std::int64_t{-1};  // neighbours of v that are not neighbours of it
        for (std::size_t k = 0; k < words_; ++k)
            for_each_in_word(all[k], k, [&](std::size_t u) {
                auto const exclusive = kernels_.missing(all, row(u), words_);
                if (exclusive > most_exclusive || (exclusive == most_exclusive && degree_[u] < degree_[into])) {
                    most_exclusive = exclusive;
                    into = u;
                }
            });
        if (into != degree_.size()) {
            all[into / 64] &= ~(word{1} << into % 64);
            for (std::size_t k = 0; k < words_; ++k) {
                for_each_in_word(all[k], k, [&](std::size_t w) {
                    row(w)[v / 64] &= ~(word{1} << v % 64);
                    if ((row(into)[k] >> w % 64 & 1U) != 0)
                        --degree_[w];
                    else {
                        set(w, into);
                        ++degree_[into];
                    }
                });
                row(into)[k] |= all[k];
            }
            row(into)[v / 64] &= ~(word{1} << v % 64);
            --degree_[into];
        }
        degree_[v] = removed;
        std::fill_n(all, words_, 0);
    }
    /// Compacts the matrix to the remaining vertices.
    void shrink(std::size_t left) {
        std::vector<std::size_t> number(degree_.size(), 0);
        std::size_t next = 0;
        for (std::size_t v = 0; v < degree_.size(); ++v)
            if (degree_[v] != removed) number[v] = next++;
        dense_contraction smaller(left);
        for (std::size_t v = 0; v < degree_.size(); ++v) {
            if (degree_[v] == removed) continue;
            smaller.set_tie(number[v], ties_[v]);
            smaller.degree_[number[v]] = degree_[v];
            for (std::size_t k = 0; k < words_; ++k)
                for_each_in_word(row(v)[k], k, [&](std::size_t u) { smaller.set(number[v], number[u]); });
        }
        *this = std::move(smaller);
    }

    std::vector<std::uint32_t> degree_, ties_;
    std::size_t words_;
    std::vector<word> bits_;
    bit_kernels kernels_ = select_bit_kernels();
};

}  // namespace repebble::inline v0::detail

#endif
