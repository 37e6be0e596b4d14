#ifndef REPEBBLE_ALLOCATE_DETAIL_SHARE_WHERE_HPP
#define REPEBBLE_ALLOCATE_DETAIL_SHARE_WHERE_HPP

// The engine of share_blocks: a linear scan over time with a pool of free blocks (Chen et al. 2016, section 3 and
// figure 2; match range and search as in NNVM's plan_memory pass). A predicate may forbid some reuses: so
// parallel/ keeps the order of parallel steps. Invariant: two buffers of one block are never live at once.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/shared_blocks.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The buffers that occupy memory, by the begin of their lifetimes, then by number.
[[nodiscard]] auto in_order_of_begin(std::span<buffer const> buffers) -> std::vector<std::size_t>;

/// Throws bad_buffer if a buffer is invalid or pinned.
void require_free_buffers(std::span<buffer const> buffers);

/// Puts buffer i into a block; `block` equal to the number of blocks appends a new one.
void put_into_block(shared_blocks& out, std::span<buffer const> buffers, std::size_t i, std::size_t block);

/// The pool of free blocks, ordered by size and then number.
class free_blocks {
  public:
    void put(bytes size, std::size_t block) { free_.emplace(size, block); }

    /// Takes the smallest usable block of at least `size` bytes, else the largest smaller one, within the range.
    template <class Usable>
    [[nodiscard]] auto take(bytes size, bytes range, Usable usable) -> std::optional<std::size_t> {
        bytes upper = 0;
        if (__builtin_mul_overflow(size, range, &upper)) upper = std::numeric_limits<bytes>::max();
        bytes const lower = size / range + (size % range == 0 ? 0 : 1);
        auto const middle = free_.lower_bound({size, 0});
        for (auto at = middle; at != free_.end() && at->first <= upper; ++at)
            if (usable(at->second)) return remove(at);
        for (auto at = middle; at != free_.begin() && std::prev(at)->first >= lower;)
            if (usable((--at)->second)) return remove(at);
        return std::nullopt;
    }

  private:
    using set = std::set<std::pair<bytes, std::size_t>>;
    [[nodiscard]] auto remove(set::const_iterator at) -> std::size_t;
    set free_{};
};

/// One linear scan. allowed(i, j) says whether buffer j, which begins after i has ended, may reuse i's block.
template <class Allowed>
[[nodiscard]] auto share_once(std::span<buffer const> buffers, bytes range, Allowed allowed) -> shared_blocks {
    shared_blocks out{.block_of = std::vector<std::size_t>(buffers.size(), shared_blocks::no_block)};
    auto const begins = in_order_of_begin(buffers);
    auto ends = begins;
    std::ranges::stable_sort(ends, {}, [&](std::size_t i) { return buffers[i].lifetime.upper; });
    auto next_end = ends.begin();
    std::vector<std::size_t> last_in;  // per block: the last buffer
    free_blocks free;
    for (auto const i : begins) {
        for (; buffers[*next_end].lifetime.upper <= buffers[i].lifetime.lower; ++next_end) {
            auto const block = out.block_of[*next_end];
            free.put(out.blocks[block].size, block);
        }
        auto const usable = [&](std::size_t block) { return allowed(last_in[block], i); };
        auto const block = free.take(buffers[i].size, range, usable).value_or(out.blocks.size());
        put_into_block(out, buffers, i, block);
        last_in.resize(out.blocks.size());
        last_in[block] = i;
    }
    return out;
}

/// The best of one scan or, with `options.search`, of several.
template <class Allowed>
[[nodiscard]] auto share_where(std::span<buffer const> buffers, sharing_options const& options, Allowed allowed)
    -> shared_blocks {
    REPEBBLE_ASSERT(options.match_range >= 1);
    require_free_buffers(buffers);
    auto best = share_once(buffers, options.match_range, allowed);
    if (!options.search) return best;
    for (bytes range = 1; range < options.match_range;) {
        auto other = share_once(buffers, range, allowed);
        if (other.total < best.total) best = std::move(other);
        if (__builtin_mul_overflow(range, bytes{2}, &range)) break;
    }
    return best;
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/share_where.ipp>
#endif

#endif
