#ifndef REPEBBLE_DECOMPOSITION_FILL_QUEUE_HPP
#define REPEBBLE_DECOMPOSITION_FILL_QUEUE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace repebble::detail {

/// Vertices by a key that changes: a list for each small key, and one for all that are large. Of equal ones that which
/// got its key last comes first.
class fill_queue {
  public:
    using vertex = std::uint32_t;

    explicit fill_queue(std::size_t vertices)
        : next_(vertices, none), previous_(vertices, none), list_(vertices, none) {}

    void put(vertex v, std::int64_t key) {
        auto const to = static_cast<std::uint32_t>(std::min<std::int64_t>(key, large));
        if (list_[v] == to) return;
        if (list_[v] != none) remove(v);
        if (to >= heads_.size()) heads_.resize(to + std::size_t{1}, none);
        next_[v] = heads_[to];
        previous_[v] = none;
        if (heads_[to] != none) previous_[heads_[to]] = v;
        heads_[to] = v;
        list_[v] = to;
        lowest_ = std::min(lowest_, to);
    }
    void remove(vertex v) {
        auto const before = previous_[v], after = next_[v];
        (before == none ? heads_[list_[v]] : next_[before]) = after;
        if (after != none) previous_[after] = before;
        list_[v] = none;
    }
    /// A vertex with the least key, which is taken out. Requires: there is one.
    template <class Key>
    [[nodiscard]] auto pop(Key const& key_of) -> vertex {
        while (heads_[lowest_] == none) ++lowest_;
        auto best = heads_[lowest_];
        if (lowest_ == large)
            for (auto v = next_[best]; v != none; v = next_[v])
                if (key_of(v) < key_of(best)) best = v;
        remove(best);
        return best;
    }

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t large = 1U << 16U;

    std::vector<vertex> heads_, next_, previous_;
    std::vector<std::uint32_t> list_;  // in which each is
    std::uint32_t lowest_ = large;
};

}  // namespace repebble::detail

#endif
