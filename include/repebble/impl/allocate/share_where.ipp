#ifndef REPEBBLE_IMPL_ALLOCATE_SHARE_WHERE_IPP
#define REPEBBLE_IMPL_ALLOCATE_SHARE_WHERE_IPP

#include <repebble/allocate/detail/share_where.hpp>

#include <numeric>
#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

/// Whether a buffer occupies memory at any time.
[[nodiscard]] constexpr auto has_bytes_and_time(buffer const& b) noexcept -> bool {
    return b.size > 0 && !b.lifetime.empty();
}

REPEBBLE_INLINE auto in_order_of_begin(std::span<buffer const> buffers) -> std::vector<std::size_t> {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (has_bytes_and_time(buffers[i])) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return buffers[i].lifetime.lower; });
    return order;
}

REPEBBLE_INLINE void require_free_buffers(std::span<buffer const> buffers) {
    require_valid_buffers(buffers);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (buffers[i].pinned)
            detail::raise(bad_buffer("buffer " + std::to_string(i) + ": it is pinned at offset " +
                                     std::to_string(*buffers[i].pinned) + ", but shared blocks have no offsets yet"));
}

REPEBBLE_INLINE void put_into_block(shared_blocks& out, std::span<buffer const> buffers, std::size_t i,
                                    std::size_t block) {
    if (block == out.blocks.size()) out.blocks.push_back({});
    auto& [size, alignment] = out.blocks[block];
    auto const& b = buffers[i];
    if (b.size > size) {
        out.total = checked_add(out.total, b.size - size, "sizes of blocks");
        size = b.size;
    }
    auto const more = b.alignment / std::gcd(alignment, b.alignment);
    alignment = checked_multiply(alignment, more, "alignments");
    out.block_of[i] = block;
}

REPEBBLE_INLINE auto free_blocks::remove(set::const_iterator at) -> std::size_t {
    auto const block = at->second;
    free_.erase(at);
    return block;
}

}  // namespace repebble::inline v0::detail

#endif
