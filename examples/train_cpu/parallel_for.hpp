#ifndef TRAIN_CPU_PARALLEL_FOR_HPP
#define TRAIN_CPU_PARALLEL_FOR_HPP

#include <algorithm>
#include <cstdint>

namespace train_cpu {

/// f(i) for i = 0 … n-1, in parallel where the compiler knows OpenMP. Each i is to write what no other reads or writes,
/// so that results do not depend on the number of threads.
template <class F>
void parallel_for(std::int64_t n, F const& f) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (n > 1)
#endif
    for (std::int64_t i = 0; i < n; ++i) f(i);
}

/// f(begin, end) for pieces of [0, n).
template <class F>
void parallel_pieces(std::int64_t n, F const& f) {
    constexpr std::int64_t piece = 16384;
    parallel_for((n + piece - 1) / piece, [&](std::int64_t i) { f(i * piece, std::min(n, (i + 1) * piece)); });
}

}  // namespace train_cpu

#endif
