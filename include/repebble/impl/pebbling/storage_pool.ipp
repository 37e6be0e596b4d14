#ifndef REPEBBLE_IMPL_PEBBLING_STORAGE_POOL_IPP
#define REPEBBLE_IMPL_PEBBLING_STORAGE_POOL_IPP

#include <repebble/pebbling/storage_pool.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto storage_pool::allocate(instance first, bytes size) -> id {
    in_use_ = checked_add(in_use_, size);
    if (free_.empty()) {
        storages_.push_back({size, 0, first});
        return static_cast<id>(storages_.size() - 1);
    }
    auto const reused = free_.back();
    free_.pop_back();
    storages_[reused] = {size, 0, first};
    return reused;
}

REPEBBLE_INLINE auto storage_pool::release(id s) -> bool {
    if (--storages_[s].references > 0) return false;
    in_use_ -= storages_[s].size;
    free_.push_back(s);
    return true;
}

}  // namespace repebble::inline v0

#endif
