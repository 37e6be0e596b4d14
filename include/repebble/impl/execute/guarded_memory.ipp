#ifndef REPEBBLE_IMPL_EXECUTE_GUARDED_MEMORY_IPP
#define REPEBBLE_IMPL_EXECUTE_GUARDED_MEMORY_IPP

#include <repebble/execute/guarded_memory.hpp>

#include <stdexcept>
#include <string>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

#if __has_include(<sys/mman.h>)

namespace repebble::inline v0 {

REPEBBLE_INLINE guarded_memory::guarded_memory(bytes size, bytes alignment) : size_(size) {
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

REPEBBLE_INLINE auto guarded_memory::operator=(guarded_memory&& other) noexcept -> guarded_memory& {
    std::swap(begin_, other.begin_);
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace repebble::inline v0

#endif  // POSIX

#endif
