#include "allocation_count.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRAIN_CPU_REPLACES_MALLOC 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef TRAIN_CPU_REPLACES_MALLOC
#endif
#endif
#endif

namespace train_cpu {

namespace {

std::atomic<bool> counting{false};
std::atomic<std::size_t> allocations{0};
std::atomic<std::size_t> most_used{0};

}  // namespace

void begin_counting() {
    allocations = 0;
    counting = true;
}
auto end_counting() -> std::size_t {
    counting = false;
    return allocations;
}
auto reserve_used() -> std::size_t { return most_used; }

#ifdef TRAIN_CPU_REPLACES_MALLOC

auto counts_allocations() -> bool { return true; }

namespace {

/// Blocks of 64 bytes to 8 MiB, in lists by size. Blocks that were freed are found again; others are cut from the end.
class block_reserve {
  public:
    [[nodiscard]] auto take(std::size_t size, std::size_t alignment) -> void* {
        std::size_t c = 0;
        if (alignment > smallest) size = size < page ? page : size;
        while (c < classes && (smallest << c) < size) ++c;
        if (c == classes) return nullptr;
        lock l(busy_);
        void* block = free_[c];
        if (block != nullptr) {
            std::memcpy(&free_[c], block, sizeof free_[c]);
        } else {
            // Ahead of every block a line that knows its class; large ones begin with a page.
            auto const step = (smallest << c) < page ? smallest : page;
            auto const begin = (used_ + smallest + step - 1) / step * step;
            if (begin + (smallest << c) > sizeof memory_) return nullptr;
            memory_[begin - smallest] = static_cast<unsigned char>(c);
            block = memory_ + begin;
            most_used = used_ = begin + (smallest << c);
        }
        return block;
    }
    [[nodiscard]] auto owns(void const* block) const noexcept -> bool {
        auto const at = reinterpret_cast<std::uintptr_t>(block);
        auto const begin = reinterpret_cast<std::uintptr_t>(memory_);
        return at >= begin && at < begin + sizeof memory_;
    }
    [[nodiscard]] auto size_of(void const* block) const noexcept -> std::size_t { return smallest << class_of(block); }
    void give_back(void* block) {
        auto const c = class_of(block);
        lock l(busy_);
        std::memcpy(block, &free_[c], sizeof free_[c]);
        free_[c] = block;
    }

  private:
    static constexpr std::size_t smallest = 64;
    static constexpr std::size_t page = 4096;
    static constexpr std::size_t classes = 18;

    class lock {
      public:
        explicit lock(std::atomic_flag& flag) : flag_(flag) {
            while (flag_.test_and_set(std::memory_order_acquire)) {
            }
        }
        lock(lock const&) = delete;
        auto operator=(lock const&) -> lock& = delete;
        ~lock() { flag_.clear(std::memory_order_release); }

      private:
        std::atomic_flag& flag_;
    };
    [[nodiscard]] static auto class_of(void const* block) noexcept -> std::size_t {
        return *(static_cast<unsigned char const*>(block) - smallest);
    }

    alignas(page) unsigned char memory_[std::size_t{32} << 20U]{};
    void* free_[classes]{};
    std::size_t used_ = 0;
    std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

constinit block_reserve reserve;

/// A block of the reserve while allocations are counted; nothing where it has to come from the heap.
auto from_reserve(std::size_t size, std::size_t alignment) -> void* {
    if (!counting.load(std::memory_order_relaxed)) return nullptr;
    if (alignment <= 4096)
        if (auto* block = reserve.take(size, alignment)) return block;
    ++allocations;
    return nullptr;
}

}  // namespace

#else

auto counts_allocations() -> bool { return false; }

#endif

}  // namespace train_cpu

#ifdef TRAIN_CPU_REPLACES_MALLOC

// The names that glibc lets a program replace, and those by which it is still to be had.
extern "C" {
auto __libc_malloc(std::size_t size) -> void*;
auto __libc_calloc(std::size_t count, std::size_t size) -> void*;
auto __libc_realloc(void* block, std::size_t size) -> void*;
auto __libc_memalign(std::size_t alignment, std::size_t size) -> void*;
void __libc_free(void* block);

auto malloc(std::size_t size) noexcept -> void* {
    auto* block = train_cpu::from_reserve(size, 16);
    return block != nullptr ? block : __libc_malloc(size);
}
auto calloc(std::size_t count, std::size_t size) noexcept -> void* {
    std::size_t total = 0;
    if (!__builtin_mul_overflow(count, size, &total))
        if (auto* block = train_cpu::from_reserve(total, 16)) return std::memset(block, 0, total);
    return __libc_calloc(count, size);
}
void free(void* block) noexcept {
    train_cpu::reserve.owns(block) ? train_cpu::reserve.give_back(block) : __libc_free(block);
}
auto realloc(void* block, std::size_t size) noexcept -> void* {
    if (!train_cpu::reserve.owns(block)) {
        if (train_cpu::counting) ++train_cpu::allocations;
        return __libc_realloc(block, size);
    }
    auto const old = train_cpu::reserve.size_of(block);
    auto* larger = malloc(size);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, block, old < size ? old : size);
    free(block);
    return larger;
}
auto memalign(std::size_t alignment, std::size_t size) noexcept -> void* {
    auto* block = train_cpu::from_reserve(size, alignment);
    return block != nullptr ? block : __libc_memalign(alignment, size);
}
auto aligned_alloc(std::size_t alignment, std::size_t size) noexcept -> void* { return memalign(alignment, size); }
auto posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept -> int {
    auto* block = memalign(alignment, size);
    if (block == nullptr) return ENOMEM;
    *result = block;
    return 0;
}
}

#endif
