#ifndef REPEBBLE_ALLOCATE_SHARED_BLOCKS_HPP
#define REPEBBLE_ALLOCATE_SHARED_BLOCKS_HPP

// Blocks of memory shared by buffers: what `share_blocks` is asked for and what it returns.
// Invariant: two buffers of one block are never live at once.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

struct step_graph;

/// A block of memory that buffers use one after the other: as large as the largest of them.
struct memory_block {
    bytes size = 0;
    bytes alignment = 1;  ///< a multiple of those of its buffers
    friend constexpr auto operator==(memory_block const&, memory_block const&) -> bool = default;
};

/// An assignment of buffers to blocks. Every buffer starts at the begin of its block.
struct shared_blocks {
    /// The block of a buffer without bytes or time.
    static constexpr std::size_t no_block = std::numeric_limits<std::size_t>::max();

    std::vector<std::size_t> block_of{};  ///< of each buffer
    std::vector<memory_block> blocks{};   ///< in the order in which they were made
    bytes total = 0;                      ///< sum of the sizes of the blocks

    /// The offset of every buffer if the blocks are laid one after the other, each at the next multiple of its
    /// alignment; 0 for a buffer without a block. `verify_offsets` checks them.  O(n).  Throws bad_weight if the end of
    /// the last block does not fit in 64 bits.
    [[nodiscard]] auto offsets() const -> std::vector<bytes>;

    friend auto operator==(shared_blocks const&, shared_blocks const&) -> bool = default;
};

/// How buffers get their blocks.
enum class block_method : std::uint8_t {
    scan,             ///< in the order of time, from a pool of free blocks
    colour_by_size,   ///< from the conflict graph, largest first: no block grows
    colour_by_begin,  ///< from the conflict graph, by begin: the least number of blocks, where steps do not run in
                      ///< parallel
};

/// Options of `share_blocks`.
struct sharing_options {
    /// A buffer of s bytes may reuse a free block of s / match_range to s · match_range bytes; 1: of s bytes only.
    bytes match_range = 16;
    /// Also tries the ranges 1, 2, 4 … below match_range and returns the least total. For `scan`.
    bool search = false;
    block_method method = block_method::scan;  ///< how buffers get their blocks
    /// Where steps run in parallel: the step graph of the schedule whose lifetimes the buffers are
    /// (step_graph.hpp). A buffer may then reuse another's block only if every step that touches the other is
    /// an ancestor of the first step that touches it.
    step_graph const* steps = nullptr;
    /// With `steps` and `scan`: so many longest paths of the step graph stand for the ancestor relation, in linear
    /// memory.
    std::optional<std::size_t> paths{};

    friend constexpr auto operator==(sharing_options const&, sharing_options const&) -> bool = default;
};

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/shared_blocks.ipp>
#endif

#endif
