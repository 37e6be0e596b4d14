#ifndef REPEBBLE_PEBBLING_STORAGE_POOL_HPP
#define REPEBBLE_PEBBLING_STORAGE_POOL_HPP

// Reference-counted storages of the device pool, and instances, the names of computations. The pebble game's
// bookkeeping.

#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>

namespace repebble::inline v0 {

/// The k-th computation (from 0) of a value. Lifetimes, addresses and checks are keyed by it.
struct instance {
    value_index value = 0;          ///< the value
    std::uint32_t computation = 0;  ///< k
    friend constexpr auto operator==(instance const&, instance const&) -> bool = default;
    friend constexpr auto operator<=>(instance const&, instance const&) = default;
};

/// Storages with reference counts, and the sum of their bytes. A storage is named after the instance that it began with
/// and ends with its last reference.
class storage_pool {
  public:
    /// Storages are numbered from 0 on.
    using id = std::uint32_t;
    /// The number of no storage.
    static constexpr id none = std::numeric_limits<id>::max();

    /// Allocates a storage without references.  Throws bad_weight where the sum of all bytes overflows.
    auto allocate(instance first, bytes size) -> id;
    /// Counts one more reference to a storage.
    void refer(id s) { ++storages_[s].references; }
    /// Ends one reference, and with the last one the storage; returns whether the storage ended.
    auto release(id s) -> bool;
    /// Ends one reference but keeps the storage for the next `refer`.
    void hand_over(id s) { --storages_[s].references; }
    /// Ends all references but keeps the storage for the next `refer`.
    void keep(id s) { storages_[s].references = 0; }

    [[nodiscard]] auto size(id s) const -> bytes { return storages_[s].size; }
    /// The number of references to a storage.
    [[nodiscard]] auto references(id s) const -> std::uint32_t { return storages_[s].references; }
    /// The instance that a storage began with.
    [[nodiscard]] auto first_instance(id s) const -> instance { return storages_[s].first; }
    /// The sum of the bytes of all storages.
    [[nodiscard]] auto bytes_in_use() const noexcept -> bytes { return in_use_; }

  private:
    struct storage {
        bytes size = 0;
        std::uint32_t references = 0;
        instance first;
    };
    std::vector<storage> storages_;
    std::vector<id> free_;
    bytes in_use_ = 0;
};

namespace detail {

/// The pools in which a value is resident, and since when.
struct value_state {
    std::uint32_t computations = 0;
    bool on_device = false;
    bool on_host = false;
    std::int64_t ready{};          // when its copy in the device pool is complete
    std::int64_t host_ready{};     // when its copy in the host pool is complete
    std::int64_t last_use{};       // on the device: when it is written and all that reads it so far has ended
    std::int64_t host_last_use{};  // on the host
};

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pebbling/storage_pool.ipp>
#endif

#endif
