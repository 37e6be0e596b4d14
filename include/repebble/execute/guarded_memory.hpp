#ifndef REPEBBLE_EXECUTE_GUARDED_MEMORY_HPP
#define REPEBBLE_EXECUTE_GUARDED_MEMORY_HPP

// Memory between guard pages (mmap, mprotect), for tests and CPU backends: an access beyond its bounds ends the
// process. POSIX only.

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <repebble/graph/error.hpp>
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
    guarded_memory(bytes size, bytes alignment) : size_(size) {
        bytes const page = ::sysconf(_SC_PAGESIZE);
        REPEBBLE_ASSERT(size >= 0);
        if (alignment < 1 || alignment > page || (alignment & (alignment - 1)) != 0)
            detail::raise(std::invalid_argument("memory cannot be aligned to " + std::to_string(alignment) +
                                                " bytes: powers of two up to a page of " + std::to_string(page) +
                                                " it can"));
        bytes mapped = 0;
        if (__builtin_add_overflow(size, 3 * page, &mapped)) detail::raise(out_of_memory(size));
        auto const inner = (size + page - 1) / page * page;
        mapped_ = static_cast<std::size_t>(inner + 2 * page);
        void* const all = ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED) detail::raise(out_of_memory(size));
        begin_ = static_cast<std::byte*>(all);
        if (inner > 0 && ::mprotect(begin_ + page, static_cast<std::size_t>(inner), PROT_READ | PROT_WRITE) != 0) {
            release();
            detail::raise(out_of_memory(size));
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

}  // namespace repebble::inline v0

#endif  // POSIX
#endif
