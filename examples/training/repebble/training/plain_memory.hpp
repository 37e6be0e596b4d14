#ifndef REPEBBLE_TRAINING_PLAIN_MEMORY_HPP
#define REPEBBLE_TRAINING_PLAIN_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/training/device.hpp>

namespace repebble::training {

/// Memory on a device without a plan: every storage is there until the end, and filled with what looks random. Behind
/// each lie bytes that nobody may change.
template <computing_device Device>
class plain_memory {
  public:
    using block = decltype(std::declval<Device&>().allocate(pool::device, bytes{}, bytes{}));
    struct storage {
        block data;
        bytes size = 0;  ///< without the bytes behind it
    };

    /// `rubbish`: the seed of what is in memory that is not written yet. The device must outlive it.
    plain_memory(Device& device, std::uint64_t rubbish) : device_(&device), rubbish_(rubbish) {}

    /// A new storage, whose address stays.
    [[nodiscard]] auto make(bytes size) -> storage& {
        auto& made =
            all_.emplace_back(storage{device_->allocate(pool::device, rounded(size) + margin, bytes{alignment}), size});
        device_->fill(made.data.data(), rounded(size), rubbish_);
        device_->fill(behind(made), margin, rubbish_);
        return made;
    }
    template <class T>
    [[nodiscard]] auto contents(storage const& s) const -> std::vector<T> {
        std::vector<T> all(static_cast<std::size_t>(s.size) / sizeof(T));
        device_->finish();
        device_->download(all.data(), s.data.data(), s.size);
        return all;
    }
    /// Requires: `all` has the bytes of the storage.
    template <class T>
    void write(storage& s, std::vector<T> const& all) {
        device_->upload(s.data.data(), all.data(), s.size);
    }
    /// Whether something wrote behind the end of a storage.
    [[nodiscard]] auto overran() const -> bool {
        device_->finish();
        return std::ranges::any_of(
            all_, [this](storage const& s) { return device_->highest_change(behind(s), margin, rubbish_) != 0; });
    }

  private:
    static constexpr bytes alignment = 64;
    static constexpr bytes margin = 64;

    [[nodiscard]] static auto rounded(bytes size) -> bytes { return (size + alignment - 1) / alignment * alignment; }
    [[nodiscard]] static auto behind(auto& s) { return s.data.data() + rounded(s.size); }

    Device* device_;
    std::uint64_t rubbish_;
    std::deque<storage> all_{};
};

}  // namespace repebble::training

#endif
