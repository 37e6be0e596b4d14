#ifndef TRAIN_CPU_ALLOCATION_COUNT_HPP
#define TRAIN_CPU_ALLOCATION_COUNT_HPP

#include <cstddef>

/// Counts every allocation of the process, oneDNN's included: malloc and its relatives are replaced for the whole
/// program. Whoever runs a primitive makes oneDNN build small tables of its arguments, and some of its matrix products
/// pack their operands into blocks that fit a cache. While allocations are counted, these come from a reserve of 32 MiB
/// that the program has from its start, and what does not fit there is an allocation.
namespace train_cpu {

/// False where malloc cannot be replaced: with a sanitizer, or another C library than glibc.
[[nodiscard]] auto counts_allocations() -> bool;
void begin_counting();
/// How many allocations there were since `begin_counting`.
[[nodiscard]] auto end_counting() -> std::size_t;
/// Most bytes of the reserve that were ever in use.
[[nodiscard]] auto reserve_used() -> std::size_t;

}  // namespace train_cpu

#endif
