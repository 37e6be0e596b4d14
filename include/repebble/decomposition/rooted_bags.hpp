#ifndef REPEBBLE_DECOMPOSITION_ROOTED_BAGS_HPP
#define REPEBBLE_DECOMPOSITION_ROOTED_BAGS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>

namespace repebble::detail {

/// The bags of a decomposition from bag 0 outwards.  Requires: its edges name bags that are there.  O(bags + edges).
class rooted_bags {
  public:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    explicit rooted_bags(tree_decomposition const& made) : parent_(made.bags.size(), none) {
        auto const count = made.bags.size();
        std::vector<std::size_t> start(count + 1, 0);
        for (auto const& [a, b] : made.edges) {
            ++start[a + std::size_t{1}];
            ++start[b + std::size_t{1}];
        }
        for (std::size_t b = 0; b < count; ++b) start[b + 1] += start[b];
        std::vector<std::uint32_t> beside(start.back());
        auto next = start;
        for (auto const& [a, b] : made.edges) {
            beside[next[a]++] = b;
            beside[next[b]++] = a;
        }
        if (count == 0) return;
        order_.reserve(count);
        order_.push_back(0);
        for (std::size_t k = 0; k < order_.size(); ++k) {
            auto const at = order_[k];
            for (auto i = start[at]; i < start[at + std::size_t{1}]; ++i) {
                auto const b = beside[i];
                if (b == 0 || parent_[b] != none) continue;
                parent_[b] = at;
                order_.push_back(b);
            }
        }
    }
    /// Those that can be reached: parents before children, and the children of each in one run.
    [[nodiscard]] auto order() const noexcept -> std::vector<std::uint32_t> const& { return order_; }
    /// Of each bag; none of bag 0 and of those that cannot be reached.
    [[nodiscard]] auto parents() const noexcept -> std::vector<std::uint32_t> const& { return parent_; }

  private:
    std::vector<std::uint32_t> order_, parent_;
};

}  // namespace repebble::detail

#endif
