#ifndef REPEBBLE_CHAINS_DETAIL_MIN_PLUS_HPP
#define REPEBBLE_CHAINS_DETAIL_MIN_PLUS_HPP

// SIMD kernels of the (min, +) products in the dynamic programs over chains: minima of sums of rows, over blocks of
// memory slots or cells. By GCC vector extensions for SSE, AVX2 and AVX-512, chosen at run time by the processor.
// Used by frontier/lower_envelope.hpp and slots/slot_kernel.hpp. All variants give the same result.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace repebble::inline v0::detail {

/// Slots in a block; rows, and columns, of a tile.
inline constexpr std::size_t slot_block = 16;
inline constexpr std::uint32_t tile_side = 4;

/// Operands of a tile: out[r][c][k] becomes the minimum of itself and of rows[j][r][k] + cols[j][c][k] + added[j] for
/// every j in `which`, for k in a block.
template <class Lane>
struct min_plus_tile {
    Lane const* const* rows = nullptr;  ///< `stride` pointers for each j, of which the first `tile_side` are used
    Lane const* const* cols = nullptr;
    std::size_t stride = 0;
    Lane const* added = nullptr;
    std::uint8_t const* which = nullptr;
    std::size_t count = 0;
    Lane* const* out = nullptr;  ///< tile_side * tile_side
};

/// Operands of a row: out[k] becomes the minimum of itself and row[k] + col[k] + added.
template <class Lane>
struct min_plus_row {
    Lane const* row = nullptr;
    Lane const* col = nullptr;
    Lane added{};
    Lane* out = nullptr;
    std::size_t count = 0;
};

/// Operands of a comparison: flags[k] becomes -1 where row[k] + col[k] + added <= most[k], else 0.
template <class Lane>
struct row_test {
    Lane const* row = nullptr;
    Lane const* col = nullptr;
    Lane added{};
    Lane const* most = nullptr;
    signed char* flags = nullptr;
    std::size_t count = 0;
};

/// Calls f(constant 0) … f(constant N - 1), unrolled.
template <std::size_t N, class F>
[[gnu::always_inline]] inline void unrolled(F const& f) {
    [&]<std::size_t... K>(std::index_sequence<K...>) __attribute__((always_inline)) {
        (f(std::integral_constant<std::size_t, K>{}), ...);
    }
    (std::make_index_sequence<N>{});
}

/// Computes a tile in registers of `Bytes` bytes, `Columns` columns at a time. Always inlined, so that it uses the
/// instruction set of the function that calls it.
template <std::size_t Bytes, std::size_t Columns, class Lane>
[[gnu::always_inline]] inline void compute_tile(min_plus_tile<Lane> const& t) {
    typedef Lane reg __attribute__((vector_size(Bytes)));
    constexpr std::size_t width = Bytes / sizeof(Lane);
    for (std::size_t column = 0; column < tile_side; column += Columns)
        for (std::size_t at = 0; at < slot_block; at += width) {
            reg least[tile_side * Columns];
            auto const out = [&](auto k) __attribute__((always_inline)) {
                return t.out[k / Columns * tile_side + column + k % Columns] + at;
            };
            unrolled<tile_side * Columns>([&](auto k) __attribute__((always_inline)) {
                std::memcpy(&least[k], out(k), Bytes);
            });
            for (std::size_t n = 0; n < t.count; ++n) {
                std::size_t const j = t.which[n];
                auto const* const rows = t.rows + j * t.stride;
                auto const* const cols = t.cols + j * t.stride + column;
                auto const added = t.added[j];
                reg row[tile_side], col[Columns];
                unrolled<tile_side>([&](auto r)
                                        __attribute__((always_inline)) { std::memcpy(&row[r], rows[r] + at, Bytes); });
                unrolled<Columns>([&](auto c) __attribute__((always_inline)) {
                    std::memcpy(&col[c], cols[c] + at, Bytes);
                    col[c] += added;
                });
                unrolled<tile_side * Columns>([&](auto k) __attribute__((always_inline)) {
                    reg const sum = row[k / Columns] + col[k % Columns];
                    least[k] = sum < least[k] ? sum : least[k];
                });
            }
            unrolled<tile_side * Columns>([&](auto k) __attribute__((always_inline)) {
                std::memcpy(out(k), &least[k], Bytes);
            });
        }
}
template <std::size_t Bytes, class Lane>
[[gnu::always_inline]] inline void compute_row(min_plus_row<Lane> const& r) {
    typedef Lane reg __attribute__((vector_size(Bytes)));
    constexpr std::size_t width = Bytes / sizeof(Lane);
    std::size_t at = 0;
    for (; at + width <= r.count; at += width) {
        reg row, col, least;
        std::memcpy(&row, r.row + at, Bytes);
        std::memcpy(&col, r.col + at, Bytes);
        std::memcpy(&least, r.out + at, Bytes);
        reg const sum = row + col + r.added;
        least = sum < least ? sum : least;
        std::memcpy(r.out + at, &least, Bytes);
    }
    for (; at < r.count; ++at) {
        Lane const sum = r.row[at] + r.col[at] + r.added;
        r.out[at] = sum < r.out[at] ? sum : r.out[at];
    }
}

template <std::size_t Bytes, class Lane>
[[gnu::always_inline]] inline void compute_test(row_test<Lane> const& t) {
    constexpr std::size_t width = Bytes / sizeof(Lane);
    typedef Lane reg __attribute__((vector_size(Bytes)));
    typedef signed char flags __attribute__((vector_size(width)));
    std::size_t at = 0;
    for (; at + width <= t.count; at += width) {
        reg row, col, most;
        std::memcpy(&row, t.row + at, Bytes);
        std::memcpy(&col, t.col + at, Bytes);
        std::memcpy(&most, t.most + at, Bytes);
        flags const within = __builtin_convertvector(row + col + t.added <= most, flags);
        std::memcpy(t.flags + at, &within, width);
    }
    for (; at < t.count; ++at) t.flags[at] = t.row[at] + t.col[at] + t.added <= t.most[at] ? -1 : 0;
}

/// The kernels for the processor that the program runs on.
template <class Lane>
struct min_plus_kernels {
    void (*tile)(min_plus_tile<Lane> const&) = nullptr;
    void (*row)(min_plus_row<Lane> const&) = nullptr;
    void (*test)(row_test<Lane> const&) = nullptr;
};

template <class Lane>
void tile_by_default(min_plus_tile<Lane> const& t) {
    compute_tile<16, tile_side / 2>(t);
}
template <class Lane>
void row_by_default(min_plus_row<Lane> const& r) {
    compute_row<16>(r);
}
template <class Lane>
void test_by_default(row_test<Lane> const& t) {
    compute_test<16>(t);
}

#if defined(__x86_64__)

template <class Lane>
[[gnu::target("avx512f")]] void tile_by_avx512(min_plus_tile<Lane> const& t) {
    compute_tile<64, tile_side>(t);
}
template <class Lane>
[[gnu::target("avx512f")]] void row_by_avx512(min_plus_row<Lane> const& r) {
    compute_row<64>(r);
}
template <class Lane>
[[gnu::target("avx512f")]] void test_by_avx512(row_test<Lane> const& t) {
    compute_test<64>(t);
}
template <class Lane>
[[gnu::target("avx2")]] void tile_by_avx2(min_plus_tile<Lane> const& t) {
    compute_tile<32, tile_side / 2>(t);
}
template <class Lane>
[[gnu::target("avx2")]] void row_by_avx2(min_plus_row<Lane> const& r) {
    compute_row<32>(r);
}
template <class Lane>
[[gnu::target("avx2")]] void test_by_avx2(row_test<Lane> const& t) {
    compute_test<32>(t);
}

template <class Lane>
[[nodiscard]] auto fastest_min_plus() -> min_plus_kernels<Lane> {
    if (__builtin_cpu_supports("avx512f")) return {&tile_by_avx512<Lane>, &row_by_avx512<Lane>, &test_by_avx512<Lane>};
    if (__builtin_cpu_supports("avx2")) return {&tile_by_avx2<Lane>, &row_by_avx2<Lane>, &test_by_avx2<Lane>};
    return {&tile_by_default<Lane>, &row_by_default<Lane>, &test_by_default<Lane>};
}

#else

template <class Lane>
[[nodiscard]] auto fastest_min_plus() -> min_plus_kernels<Lane> {
    return {&tile_by_default<Lane>, &row_by_default<Lane>, &test_by_default<Lane>};
}

#endif

}  // namespace repebble::inline v0::detail

#endif
