#ifndef REPEBBLE_EXECUTE_GUARDED_MEMORY_HPP
#define REPEBBLE_EXECUTE_GUARDED_MEMORY_HPP

// Memory between guard pages (mmap, mprotect), for tests and CPU backends: an access beyond its bounds ends the
// process. POSIX only.

#if __has_include(<sys/mman.h>)
#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <new>
#include <utility>

#include <sys/mman.h>

#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// Thrown where a block of this size cannot be allocated; the message has the size.
class out_of_memory : public std::bad_alloc {
  public:
    explicit out_of_memory(bytes size) noexcept {
        static_cast<void>(std::snprintf(text_, sizeof text_, "there is no memory for %lld bytes in one block",
                                        static_cast<long long>(size)));
    }
    [[nodiscard]] auto what() const noexcept -> char const* override { return text_; }

  private:
    char text_[80]{};
};

/// A block of memory between two inaccessible pages: an access before its begin, or behind its end (rounded up to the
/// alignment), ends the process.
class guarded_memory {
  public:
    guarded_memory() = default;
    /// Throws out_of_memory where the block cannot be allocated, std::invalid_argument for an alignment that is not a
    /// power of two or is larger than a page.  Requires: size >= 0.
    guarded_memory(bytes size, bytes alignment);
    guarded_memory(guarded_memory&& other) noexcept
        : begin_(std::exchange(other.begin_, nullptr)),
          data_(std::exchange(other.data_, nullptr)),
          mapped_(other.mapped_),
          size_(std::exchange(other.size_, 0)) {}
    auto operator=(guarded_memory&& other) noexcept -> guarded_memory&;
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

}  // namespace repebble::inline v0

#endif  // POSIX
#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/execute/guarded_memory.ipp>
#endif

#endif
