#ifndef REPEBBLE_GRAPH_LOWER_SETS_LOWER_SETS_HPP
#define REPEBBLE_GRAPH_LOWER_SETS_LOWER_SETS_HPP

// Enumeration of all lower sets (order ideals) of a graph in the order of their binary numbers, by a stack of pivots.
// The exact strategies over small graphs use it (Kusumoto et al. 2019, section 4.2).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <vector>

#include <repebble/graph/access.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// A single-pass view of all lower sets of a graph, in O(n²) bits however many there are; begin() starts anew.
///
/// Number the vertices topologically and read a lower set as a binary number, vertex i being bit i: the sets come in
/// ascending order of that number, so that each one comes once and after all its subsets. The successor of L sets its
/// lowest zero bit i, keeps the bits above, and below keeps only those that the bits from i on need. L is always the
/// union of the closures of a few pivots; those above i, with their unions, lie on a stack, so that a step costs n/64
/// operations and the pops are paid for by the pushes.
class lower_set_view : public std::ranges::view_interface<lower_set_view> {
  public:
    class iterator {
      public:
        using value_type = vertex_set;
        using difference_type = std::ptrdiff_t;
        using reference = vertex_set const&;
        using pointer = vertex_set const*;
        using iterator_category = std::input_iterator_tag;
        using iterator_concept = std::input_iterator_tag;

        constexpr iterator() = default;
        constexpr explicit iterator(lower_set_view& view) : view_(&view) {}

        /// The set of vertex indices; overwritten by the next step.
        constexpr auto operator*() const -> reference { return view_->current_; }
        constexpr auto operator->() const -> pointer { return &view_->current_; }
        constexpr auto operator++() -> iterator& {
            view_->advance();
            return *this;
        }
        constexpr void operator++(int) { view_->advance(); }
        friend constexpr auto operator==(iterator const& it, std::default_sentinel_t) -> bool { return it.at_end(); }

      private:
        [[nodiscard]] constexpr auto at_end() const noexcept -> bool { return view_->done_; }

        lower_set_view* view_ = nullptr;
    };

    constexpr lower_set_view() = default;

    /// O(n m / 64).  Throws not_a_dag.
    constexpr explicit lower_set_view(csr_graph const& g)
        : n_(g.vertex_count()), words_(vertex_set::words_for(n_)), current_(n_) {
        auto const order = detail::kahn_order(g, false, false);
        std::vector<std::size_t> position(n_, 0);
        for (std::size_t i = 0; i < n_; ++i) position[order[i]] = i;
        sorted_ = std::ranges::is_sorted(order);
        closures_.assign(n_ * words_, 0);
        for (std::size_t i = 0; i < n_; ++i) {
            for (auto const u : g.predecessors(order[i]))
                for (std::size_t k = 0; k < words_; ++k)
                    closures_[i * words_ + k] |= closures_[position[u] * words_ + k];
            closures_[i * words_ + i / bits] |= word{1} << (i % bits);
        }
        order_.assign(order.begin(), order.end());
        pivots_.reserve(n_ + 1);
        unions_.assign((n_ + 1) * words_, 0);
    }

    [[nodiscard]] constexpr auto begin() -> iterator {
        pivots_.assign(1, n_);  // a sentinel above all bits, with the empty union
        std::fill_n(unions_.begin(), words_, word{0});
        done_ = false;
        publish();
        return iterator{*this};
    }
    [[nodiscard]] constexpr auto end() const noexcept -> std::default_sentinel_t { return {}; }

  private:
    using word = vertex_set::word;
    static constexpr std::size_t bits = vertex_set::word_bits;

    constexpr void advance() {
        std::size_t const lowest = lowest_absent();
        if (lowest >= n_) {
            done_ = true;
            return;
        }
        while (pivots_.back() < lowest) pivots_.pop_back();
        word const* const below = &unions_[(pivots_.size() - 1) * words_];
        word const* const closure = &closures_[lowest * words_];
        word* const top = &unions_[pivots_.size() * words_];
        for (std::size_t k = 0; k < words_; ++k) top[k] = below[k] | closure[k];
        pivots_.push_back(lowest);
        publish();
    }

    [[nodiscard]] constexpr auto lowest_absent() const -> std::size_t {
        word const* const top = unions_.data() + (pivots_.size() - 1) * words_;
        for (std::size_t k = 0; k < words_; ++k)
            if (top[k] != ~word{0}) return k * bits + static_cast<std::size_t>(std::countr_one(top[k]));
        return n_;
    }

    constexpr void publish() {
        word const* const top = unions_.data() + (pivots_.size() - 1) * words_;
        auto const out = current_.words();
        if (sorted_) {
            for (std::size_t k = 0; k < words_; ++k) out[k] = top[k];
            return;
        }
        std::ranges::fill(out, word{0});
        for (std::size_t k = 0; k < words_; ++k)
            for (word rest = top[k]; rest != 0; rest &= rest - 1)
                current_.insert(order_[k * bits + static_cast<std::size_t>(std::countr_zero(rest))]);
    }

    std::size_t n_ = 0;
    std::size_t words_ = 0;
    bool sorted_ = true;  // vertex indices are already topological
    bool done_ = false;
    std::vector<std::size_t> order_;   // vertex index of each position
    std::vector<word> closures_;       // per position: itself and its ancestors, as positions
    std::vector<std::size_t> pivots_;  // descending
    std::vector<word> unions_;         // per pivot: union of the closures of it and of the pivots above
    vertex_set current_;
};

namespace detail {
struct lower_sets_fn : takes_graph {
    using takes_graph::operator();

    template <computation_graph Graph>
    [[nodiscard]] constexpr auto operator()(Graph const& g) const -> lower_set_view {
        return lower_set_view(csr_graph::copy_of(g));
    }
};
}  // namespace detail

/// Lazy range of all lower sets of a graph, from ∅ to V, each once and after all its subsets (Kusumoto et al. 2019,
/// section 2: between n + 1 and 2^n of them). Elements are vertex_sets of indices.  O(n/64) amortised per set, n² bits.
/// Throws not_a_dag.
inline constexpr detail::lower_sets_fn lower_sets{};

}  // namespace repebble::inline v0

#endif
