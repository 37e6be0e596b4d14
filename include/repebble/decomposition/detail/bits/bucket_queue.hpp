#ifndef REPEBBLE_DECOMPOSITION_DETAIL_BITS_BUCKET_QUEUE_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_BITS_BUCKET_QUEUE_HPP

// A bucket priority queue with changing integer keys and selectable tie-breaking, as in minimum-degree ordering: a ring
// per small key, and one for all keys from 2^16. Greedy elimination, contractions and safe reductions take their next
// vertex from it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// Vertices by key, each at most once.
class bucket_queue {
  public:
    using vertex = std::uint32_t;

    explicit bucket_queue(std::size_t vertices, tie_breaking ties = tie_breaking::newest, std::uint64_t seed = 0)
        : next_(vertices, none), previous_(vertices, none), list_(vertices, none), ties_(ties), random_(seed) {}

    [[nodiscard]] auto empty() const -> bool { return size_ == 0; }
    /// Inserts a vertex, or changes its key.
    void put(vertex v, std::int64_t key) {
        auto const to = static_cast<std::uint32_t>(std::min<std::int64_t>(key, large));
        if (list_[v] == to) return;
        if (list_[v] != none) remove(v);
        if (to >= heads_.size()) heads_.resize(to + std::size_t{1}, none);
        auto& head = heads_[to];
        list_[v] = to;
        ++size_;
        lowest_ = std::min(lowest_, to);
        if (head == none) {
            head = next_[v] = previous_[v] = v;
            return;
        }
        auto const last = previous_[head];
        next_[last] = previous_[head] = v;
        next_[v] = head;
        previous_[v] = last;
        if (inserts_in_front()) head = v;
    }
    void remove(vertex v) {
        auto& head = heads_[list_[v]];
        auto const before = previous_[v], after = next_[v];
        next_[before] = after;
        previous_[after] = before;
        if (head == v) head = after == v ? none : after;
        list_[v] = none;
        --size_;
    }
    /// Removes and returns a vertex with the least key.  Requires: not empty.
    template <class Key>
    [[nodiscard]] auto pop(Key const& key_of) -> vertex {
        while (heads_[lowest_] == none) ++lowest_;
        auto const head = heads_[lowest_];
        auto best = head;
        if (lowest_ == large)
            for (auto v = next_[head]; v != head; v = next_[v])
                if (key_of(v) < key_of(best)) best = v;
        remove(best);
        return best;
    }

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t large = 1U << 16U;

    /// Whether an inserted vertex comes before its equals.
    [[nodiscard]] auto inserts_in_front() -> bool {
        return ties_ == tie_breaking::random ? (random_.next() & 1U) != 0 : ties_ == tie_breaking::newest;
    }

    std::vector<vertex> heads_, next_, previous_;  // per key: the first; the lists are rings
    std::vector<std::uint32_t> list_;              // per vertex: its list, or none
    std::size_t size_ = 0;
    std::uint32_t lowest_ = large;
    tie_breaking ties_;
    split_mix random_;
};

}  // namespace repebble::inline v0::detail

#endif
