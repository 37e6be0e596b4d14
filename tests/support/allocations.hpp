#ifndef REPEBBLE_TESTS_SUPPORT_ALLOCATIONS_HPP
#define REPEBBLE_TESTS_SUPPORT_ALLOCATIONS_HPP

#include <cstddef>
#include <cstdlib>
#include <new>

// Replaces operator new of the whole program: for one source of an executable. Not beside a sanitizer, which replaces
// it, too.
namespace repebble::testing {

inline std::size_t allocations = 0;                                ///< of this program so far, by operator new
inline std::size_t memory_ends_at = static_cast<std::size_t>(-1);  ///< the allocation from which on there is none

}  // namespace repebble::testing

#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
constexpr bool counts_allocations = false;
#else
constexpr bool counts_allocations = true;
// NOLINTBEGIN
auto operator new(std::size_t size) -> void* {
    if (++repebble::testing::allocations >= repebble::testing::memory_ends_at) throw std::bad_alloc();
    if (auto* p = std::malloc(size == 0 ? 1 : size)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
// NOLINTEND
#endif

#endif
