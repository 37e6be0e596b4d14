#ifndef REPEBBLE_EXECUTE_GUARDED_MEMORY_HPP
#define REPEBBLE_EXECUTE_GUARDED_MEMORY_HPP

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble {

/// Memory of this process between two pages that nobody may touch: who writes before its begin, or behind its end by
/// more than the alignment leaves over, is killed. Only where there is POSIX.
class guarded_memory {
  public:
    guarded_memory() = default;
    /// Throws std::bad_alloc where there is no such memory.  Requires: size >= 0; alignment a power of two, at most a
    /// page.
    guarded_memory(bytes size, bytes alignment) : size_(size) {
        auto const page = static_cast<bytes>(::sysconf(_SC_PAGESIZE));
        REPEBBLE_ASSERT(size >= 0);
        REPEBBLE_ASSERT(alignment >= 1 && alignment <= page && (alignment & (alignment - 1)) == 0);
        bytes mapped = 0;
        if (__builtin_add_overflow(size, 3 * page, &mapped)) throw std::bad_alloc();
        auto const inner = (size + page - 1) / page * page;
        mapped_ = static_cast<std::size_t>(inner + 2 * page);
        void* const all = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) throw std::bad_alloc();
        begin_ = static_cast<std::byte*>(all);
        if (inner > 0 && ::mprotect(begin_ + page, static_cast<std::size_t>(inner), PROT_READ | PROT_WRITE) != 0) {
            release();
            throw std::bad_alloc();
        }
        auto const used = (size + alignment - 1) / alignment * alignment;
        data_ = begin_ + page + (inner - used);
    }
    guarded_memory(guarded_memory&& other) noexcept
        : begin_(std::exchange(other.begin_, nullptr)),
          data_(std::exchange(other.data_, nullptr)),
          mapped_(other.mapped_),
          size_(std::exchange(other.size_, 0)) {}
    auto operator=(guarded_memory&& other) noexcept -> guarded_memory& {
        std::swap(begin_, other.begin_);
        std::swap(data_, other.data_);
        std::swap(mapped_, other.mapped_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~guarded_memory() { release(); }

    [[nodiscard]] auto data() const noexcept -> std::byte* { return data_; }
    [[nodiscard]] auto size() const noexcept -> bytes { return size_; }

  private:
    void release() noexcept {
        if (begin_ != nullptr) ::munmap(begin_, mapped_);
    }

    std::byte* begin_ = nullptr;  // of the first guard page
    std::byte* data_ = nullptr;
    std::size_t mapped_ = 0;
    bytes size_ = 0;
};

}  // namespace repebble

#endif  // POSIX
#endif
