#ifndef REPEBBLE_TRAIN_CUDA_MAP_SUPPORT_CUH
#define REPEBBLE_TRAIN_CUDA_MAP_SUPPORT_CUH

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "kernel_support.cuh"

/// Functions of each element. Where elements lie side by side, a thread takes 16 bytes of an array at once: with 2048
/// threads on a multiprocessor, loads of two bytes have 4 kB of an array under way, and the memory of an H100 (3.35
/// TB/s, about 0.7 us from load to value, 132 multiprocessors) wants 18 kB of all arrays together.
namespace train_cuda::kernels {

/// So many numbers that lie side by side, as one access.
template <class T, int Count>
struct alignas(sizeof(T) * Count) pack {
    T of[Count];
};
inline constexpr int pack_bytes = 16;
/// Numbers of arrays of these types that a thread takes at once.
template <class... T>
inline constexpr int pack_width = pack_bytes / static_cast<int>(std::max({sizeof(T)...}));

inline auto begins_pack(void const* at) -> bool { return reinterpret_cast<std::uintptr_t>(at) % pack_bytes == 0; }

template <int Count, class T>
__device__ auto load_pack(T const* from, std::int64_t position) -> pack<T, Count> {
    return *reinterpret_cast<pack<T, Count> const*>(from + position);
}
template <int Count, class T>
__device__ void store_pack(T* to, std::int64_t position, pack<T, Count> const& values) {
    *reinterpret_cast<pack<T, Count>*>(to + position) = values;
}
/// Writes the numbers, or adds them. Nothing where there is no target.
template <int Count, class T>
__device__ void put_pack(target_of<T> to, std::int64_t position, float const (&values)[Count]) {
    if (to.at == nullptr) return;
    pack<T, Count> made{};
    if (to.add) made = load_pack<Count>(to.at, position);
    target_of<T> const here(made.of, to.add);
#pragma unroll
    for (int k = 0; k < Count; ++k) put(here, k, values[k]);
    store_pack<Count>(to.at, position, made);
}

/// Computes outputs of an element from its inputs: f(x, y) with arrays of In and Out floats. Where an input is nullptr,
/// its numbers are ones. All inputs are read before the first output is written, and one output is written after the
/// other: an output may lie over an input, and two be the same, the second added.
template <class From, class To, int In, int Out, class F>
struct map {
    F f;
    From const* from[In];
    target_of<To> to[Out];

    static constexpr int width = pack_width<From, To>;

    /// Count elements from these positions on, In of inputs and Out of outputs, each by its function of[k].
    template <int Count, class G>
    __device__ void take(std::int64_t const* inputs, std::int64_t const* outputs, G const& of) const {
        float x[Count][In], y[Count][Out];
#pragma unroll
        for (int n = 0; n < In; ++n) {
            pack<From, Count> values{};
            if (from[n] != nullptr) values = load_pack<Count>(from[n], inputs[n]);
#pragma unroll
            for (int k = 0; k < Count; ++k) x[k][n] = from[n] == nullptr ? 1.0F : load(values.of, k);
        }
#pragma unroll
        for (int k = 0; k < Count; ++k) of[k](x[k], y[k]);
#pragma unroll
        for (int n = 0; n < Out; ++n) {
            float column[Count];
#pragma unroll
            for (int k = 0; k < Count; ++k) column[k] = y[k][n];
            put_pack(to[n], outputs[n], column);
        }
    }
    template <int Count, class G>
    __device__ void take_straight(std::int64_t i, G const& of) const {
        std::int64_t at[In > Out ? In : Out];
        for (auto& position : at) position = i;
        take<Count>(at, at, of);
    }
    [[nodiscard]] auto is_aligned() const -> bool {
        return std::all_of(from, from + In, begins_pack) &&
               std::all_of(to, to + Out, [](auto const& t) { return begins_pack(t.at); });
    }
};

struct sum_of {
    __device__ void operator()(float const (&x)[2], float (&y)[1]) const { y[0] = x[0] + x[1]; }
};
struct same {
    __device__ void operator()(float const (&x)[1], float (&y)[1]) const { y[0] = x[0]; }
};

/// A map over arrays as the host knows them.
template <class From, class To, int In, int Out, class F>
auto mapped(F f, numbers const (&from)[In], target const (&to)[Out]) -> map<From, To, In, Out, F> {
    return [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...>) {
        return map<From, To, In, Out, F>{f, {array_of<From>(from[I])...}, {target_of<To>(to[O])...}};
    }(std::make_index_sequence<In>{}, std::make_index_sequence<Out>{});
}

/// Where a walk has its outputs: before its inputs, or behind them.
enum class outputs : std::uint8_t { first, last };

/// One function as that of all elements.
template <class F>
struct same_for_all {
    F const& f;
    __device__ auto operator[](int) const -> F const& { return f; }
};
template <class F>
same_for_all(F const&) -> same_for_all<F>;

template <outputs Where, int In, int Out, class Map, int Count>
struct map_at {
    Map m;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[In + Out]) const {
        constexpr bool first = Where == outputs::first;
        m.template take<Count>(at + (first ? Out : 0), at + (first ? 0 : In), same_for_all{m.f});
    }
};

/// The walk over packs of so many elements that lie side by side in all arrays; nothing where they do not.
template <int N>
auto in_packs(walk<N> w, std::int64_t width) -> std::optional<walk<N>> {
    auto const last = w.rank - 1;
    if (last < 0 || w.extent[last] % width != 0) return std::nullopt;
    for (auto& strides : w.stride) {
        if (strides[last] != 1) return std::nullopt;
        if (std::any_of(strides, strides + last, [&](auto s) { return s % width != 0; })) return std::nullopt;
        strides[last] = width;
    }
    w.extent[last] /= width;
    w.count /= width;
    return w;
}

/// Calls f<Count>()(i, positions) for every pack of Width elements of the walk, or for every element where they do not
/// lie side by side or arrays are not aligned. i counts packs.
template <int Width, int N, class F>
auto for_each_pack(cudaStream_t stream, walk<N> const& w, bool aligned, F f) -> cudaError_t {
    if (auto const packs = in_packs(w, Width); aligned && packs)
        return for_each(stream, *packs, f.template operator()<Width>());
    return for_each(stream, w, f.template operator()<1>());
}

template <class Map, int Count>
struct map_pack {
    Map m;
    std::int64_t count;
    __device__ void operator()(std::int64_t i) const {
        auto const begin = i * Count;
        if (begin + Count <= count) return m.template take_straight<Count>(begin, same_for_all{m.f});
        for (auto k = begin; k < count; ++k) m.template take_straight<1>(k, same_for_all{m.f});
    }
};

/// For so many elements that lie straight in all arrays.
template <class From, class To, int In, int Out, class F>
auto for_each(cudaStream_t stream, std::int64_t count, map<From, To, In, Out, F> const& m) -> cudaError_t {
    using mapped = map<From, To, In, Out, F>;
    if (!m.is_aligned()) return for_each(stream, count, map_pack<mapped, 1>{m, count});
    return for_each(stream, ceil_divide(count, mapped::width), map_pack<mapped, mapped::width>{m, count});
}

/// Count columns of every so many rows: what a function has for a column is loaded once for all of them.
template <class Map, int Count>
struct map_in_columns {
    Map m;
    std::int64_t rows, columns, apart;
    __device__ void operator()(std::int64_t i) const {
        auto const packs = columns / Count;
        auto row = i / packs;
        auto const column = (i - row * packs) * Count;
        decltype(m.f[column]) of[Count];
#pragma unroll
        for (int k = 0; k < Count; ++k) of[k] = m.f[column + k];
        for (; row < rows; row += apart) m.template take_straight<Count>(row * columns + column, of);
    }
};

/// For the elements of matrices that lie row by row: f[column](x, y).
template <class Map>
auto for_each_in_rows(cudaStream_t stream, std::int64_t rows, std::int64_t columns, Map const& m) -> cudaError_t {
    if (rows <= 0 || columns <= 0) return cudaSuccess;
    constexpr std::int64_t rows_of_thread = 8;
    auto const apart = ceil_divide(rows, rows_of_thread);
    if (m.is_aligned() && columns % Map::width == 0)
        return for_each(stream, columns / Map::width * apart, map_in_columns<Map, Map::width>{m, rows, columns, apart});
    return for_each(stream, columns * apart, map_in_columns<Map, 1>{m, rows, columns, apart});
}

/// For the elements of a walk.
template <outputs Where, class From, class To, int In, int Out, class F>
auto for_each(cudaStream_t stream, walk<In + Out> const& w, map<From, To, In, Out, F> const& m) -> cudaError_t {
    bool const straight = w.rank == 0 || (w.rank == 1 && std::all_of(w.stride, w.stride + In + Out,
                                                                     [](auto const& s) { return s[0] == 1; }));
    if (straight) return for_each(stream, w.count, m);
    using mapped = map<From, To, In, Out, F>;
    return for_each_pack<mapped::width>(stream, w, m.is_aligned(),
                                        [&]<int Count>() { return map_at<Where, In, Out, mapped, Count>{m}; });
}

}  // namespace train_cuda::kernels

#endif
