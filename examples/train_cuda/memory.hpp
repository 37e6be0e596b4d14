#ifndef REPEBBLE_TRAIN_CUDA_MEMORY_HPP
#define REPEBBLE_TRAIN_CUDA_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "checks.hpp"

namespace train_cuda {

namespace detail {
struct release {
    bool host = false;
    void operator()(void* p) const noexcept { static_cast<void>(host ? cudaFreeHost(p) : cudaFree(p)); }
};
}  // namespace detail

/// Memory of the device, or pinned memory of the host, that ends with the object.
class memory {
  public:
    memory() = default;
    /// Throws cuda_failure where there is none.  Requires: size >= 0, alignment >= 1.
    memory(repebble::pool where, repebble::bytes size, repebble::bytes alignment) {
        REPEBBLE_ASSERT(size >= 0 && alignment >= 1);
        bool const host = where == repebble::pool::host;
        auto const slack = alignment > granted_alignment ? alignment : 0;
        auto const all = static_cast<std::size_t>(repebble::checked_add(size, slack + 1));
        void* made = nullptr;
        auto const call = host ? "cudaMallocHost" : "cudaMalloc";
        check(host ? cudaMallocHost(&made, all) : cudaMalloc(&made, all), call, std::to_string(all) + " bytes");
        held_ = {made, detail::release{host}};
        data_ = static_cast<std::byte*>(made);
        if (slack > 0) {
            auto const past = static_cast<repebble::bytes>(reinterpret_cast<std::uintptr_t>(made) %
                                                           static_cast<std::uintptr_t>(alignment));
            data_ += past == 0 ? 0 : alignment - past;
        }
    }
    [[nodiscard]] auto data() const noexcept -> std::byte* { return data_; }

  private:
    static constexpr repebble::bytes granted_alignment = 256;
    std::unique_ptr<void, detail::release> held_{};
    std::byte* data_ = nullptr;
};

}  // namespace train_cuda

#endif
