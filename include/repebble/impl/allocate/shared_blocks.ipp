#ifndef REPEBBLE_IMPL_ALLOCATE_SHARED_BLOCKS_IPP
#define REPEBBLE_IMPL_ALLOCATE_SHARED_BLOCKS_IPP

#include <repebble/allocate/shared_blocks.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto shared_blocks::offsets() const -> std::vector<bytes> {
    std::vector<bytes> begins;
    bytes end = 0;
    for (auto const& [size, alignment] : blocks) {
        auto const beyond = end % alignment;
        begins.push_back(beyond == 0 ? end : checked_add(end, alignment - beyond));
        end = checked_add(begins.back(), size);
    }
    std::vector<bytes> all;
    all.reserve(block_of.size());
    for (auto const block : block_of) all.push_back(block == no_block ? 0 : begins[block]);
    return all;
}

}  // namespace repebble::inline v0

#endif
