#include <cstring>

#include "cuda_runtime.h"
#include "stand_in.hpp"

// The hooks that a compiler puts before every access with -fsanitize=thread. Kernels are compiled so, but are not
// linked to the thread sanitizer: this looks at their accesses instead.

extern "C" char __executable_start, __data_start;  // NOLINT: the linker's names, of constants

namespace cuda_stand_in {

namespace {

auto lies_between(std::uintptr_t at, void const* begin, void const* end) -> bool {
    return at >= reinterpret_cast<std::uintptr_t>(begin) && at < reinterpret_cast<std::uintptr_t>(end);
}

void look(void const* at, std::size_t size, access how, std::size_t alignment) {
    if (kernel_stack.end == 0) return;  // no kernel: the host's part of the same files
    auto const address = reinterpret_cast<std::uintptr_t>(at);
    if (address >= kernel_stack.begin && address < kernel_stack.end) return;
    if (lies_between(address, &here, &here + 1)) return;
    if (how == access::read && lies_between(address, &__executable_start, &__data_start)) return;
    if (address % alignment != 0) {
        report(name_of_running() + " takes " + std::to_string(size) + " bytes at an address that is not aligned");
        abandon_kernel();
    }
    if (!look_at(at, size, how)) abandon_kernel();
}

}  // namespace

}  // namespace cuda_stand_in

auto atomicMax(unsigned long long* at, unsigned long long value) -> unsigned long long {
    cuda_stand_in::look(at, sizeof(*at), cuda_stand_in::access::together, sizeof(*at));
    auto const before = *at;
    *at = std::max(before, value);
    return before;
}

// NOLINTBEGIN: the compilers' names
#define LOOK_AT(SIZE)                                                                                               \
    void __tsan_read##SIZE(void* at) { cuda_stand_in::look(at, SIZE, cuda_stand_in::access::read, SIZE); }          \
    void __tsan_write##SIZE(void* at) { cuda_stand_in::look(at, SIZE, cuda_stand_in::access::write, SIZE); }        \
    void __tsan_unaligned_read##SIZE(void* at) { cuda_stand_in::look(at, SIZE, cuda_stand_in::access::read, 1); }   \
    void __tsan_unaligned_write##SIZE(void* at) { cuda_stand_in::look(at, SIZE, cuda_stand_in::access::write, 1); } \
    void __tsan_volatile_read##SIZE(void* at) { cuda_stand_in::look(at, SIZE, cuda_stand_in::access::together, SIZE); }

extern "C" {
LOOK_AT(1)
LOOK_AT(2)
LOOK_AT(4)
LOOK_AT(8)
LOOK_AT(16)
void __tsan_read_range(void* at, std::size_t size) { cuda_stand_in::look(at, size, cuda_stand_in::access::read, 1); }
void __tsan_write_range(void* at, std::size_t size) { cuda_stand_in::look(at, size, cuda_stand_in::access::write, 1); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
auto __tsan_memcpy(void* to, void const* from, std::size_t size) -> void* {
    cuda_stand_in::look(from, size, cuda_stand_in::access::read, 1);
    cuda_stand_in::look(to, size, cuda_stand_in::access::write, 1);
    return std::memcpy(to, from, size);
}
auto __tsan_memset(void* to, int value, std::size_t size) -> void* {
    cuda_stand_in::look(to, size, cuda_stand_in::access::write, 1);
    return std::memset(to, value, size);
}
}
// NOLINTEND
