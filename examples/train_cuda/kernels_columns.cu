#include <algorithm>
#include <cmath>

#include "map_support.cuh"

namespace train_cuda::kernels {

namespace {

/// Sums of the columns of matrices. A block has so many rows of a matrix as a chunk, and sums them for some columns; a
/// warp for every column adds up what the chunks have. Which numbers are added in which order depends on the matrix
/// only, not on where it lies.
inline constexpr int threads_of_chunk = 256;

struct elements {
    static constexpr int inputs = 1, sums = 1;
    __device__ auto operator[](std::int64_t) const -> elements { return {}; }
    __device__ void add(std::int64_t, float const (&x)[1], float (&sum)[1]) const { sum[0] += x[0]; }
};

struct squared_distance {
    float mean;
    __device__ void add(std::int64_t, float const (&x)[1], float (&sum)[1]) const {
        sum[0] += (x[0] - mean) * (x[0] - mean);
    }
};
struct squared_distances {
    float const* mean;
    static constexpr int inputs = 1, sums = 1;
    __device__ auto operator[](std::int64_t column) const -> squared_distance { return {mean[column]}; }
};

/// Inputs: x and the output's gradient.
template <normalised By>
struct normalised_element {
    float const* mean;
    float const* deviation;
    float mean_of_column, deviation_of_column;
    __device__ void add(std::int64_t row, float const (&x)[2], float (&sum)[2]) const {
        constexpr bool by_rows = By == normalised::rows;
        float const middle = !by_rows ? mean_of_column : mean != nullptr ? mean[row] : 0;
        sum[0] += x[1] * ((x[0] - middle) * (by_rows ? deviation[row] : deviation_of_column));
        sum[1] += x[1];
    }
};
template <normalised By>
struct normalised_elements {
    float const* mean;
    float const* deviation;
    static constexpr int inputs = 2, sums = 2;
    __device__ auto operator[](std::int64_t column) const -> normalised_element<By> {
        if constexpr (By == normalised::rows) return {mean, deviation, 0, 0};
        return {mean, deviation, mean[column], deviation[column]};
    }
};

struct chunks_of_rows {
    std::int64_t rows, columns, rows_of_chunk;
    int width;  ///< threads side by side, each with Count columns; each with every so many rows as there are below
};

/// For every sum and chunk a row of `partial`. Packed: the columns of a thread are read at once.
template <int Count, bool Packed, class T, class Terms>
__global__ void __launch_bounds__(threads_of_chunk)
    chunk_kernel(chunks_of_rows m, Terms terms, pack<T const*, Terms::inputs> from, float* partial) {
    constexpr int sums = Terms::sums;
    __shared__ float shared[sums * Count][threads_of_chunk];
    int const depth = threads_of_chunk / m.width;
    int const across = static_cast<int>(threadIdx.x) % m.width;
    int const below = static_cast<int>(threadIdx.x) / m.width;
    auto const column = (static_cast<std::int64_t>(blockIdx.x) * m.width + across) * Count;
    auto const begin = static_cast<std::int64_t>(blockIdx.y) * m.rows_of_chunk;
    auto const end = min(m.rows, begin + m.rows_of_chunk);
    bool const is_there = column < m.columns;
    float sum[Count][sums]{};
    if (is_there) {
        decltype(terms[column]) of[Count];
#pragma unroll
        for (int k = 0; k < Count; ++k) of[k] = terms[column + k];
#pragma unroll 4
        for (auto row = begin + below; row < end; row += depth) {
            float x[Count][Terms::inputs];
#pragma unroll
            for (int n = 0; n < Terms::inputs; ++n) {
                auto const at = row * m.columns + column;
                pack<T, Count> values;
                if constexpr (Packed)
                    values = load_pack<Count>(from.of[n], at);
                else
                    for (int k = 0; k < Count; ++k) values.of[k] = from.of[n][at + k];
#pragma unroll
                for (int k = 0; k < Count; ++k) x[k][n] = load(values.of, k);
            }
#pragma unroll
            for (int k = 0; k < Count; ++k) of[k].add(row, x[k], sum[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < Count; ++k)
#pragma unroll
        for (int s = 0; s < sums; ++s) shared[s * Count + k][threadIdx.x] = sum[k][s];
    __syncthreads();
    // Threads share what there is to add up over the threads below one another.
    for (int i = static_cast<int>(threadIdx.x); i < sums * Count * m.width; i += threads_of_chunk) {
        int const of_thread = i % m.width;
        int const which = i / m.width;  // s * Count + k
        auto const at = (static_cast<std::int64_t>(blockIdx.x) * m.width + of_thread) * Count + which % Count;
        if (at >= m.columns) continue;
        float whole = 0;
        for (int d = 0; d < depth; ++d) whole += shared[which][d * m.width + of_thread];
        partial[(static_cast<std::int64_t>(which / Count) * gridDim.y + blockIdx.y) * m.columns + at] = whole;
    }
}

struct chunks_of_columns {
    std::int64_t columns, chunks;
    float const* partial;
};

/// f(column, its sum) by a warp for every column.
template <class F>
__global__ void __launch_bounds__(threads_per_block) finish_kernel(chunks_of_columns from, F f) {
    auto const column = (static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x) / 32;
    if (column >= from.columns) return;  // all threads of a warp together
    float sum = 0;
    for (auto i = static_cast<std::int64_t>(threadIdx.x % 32); i < from.chunks; i += 32)
        sum += from.partial[i * from.columns + column];
    sum = reduce<32>(sum, plus{});
    if (threadIdx.x % 32 == 0) f(column, sum);
}

template <class T>
struct put_sum {
    target_of<T> to;
    __device__ void operator()(std::int64_t column, float sum) const { put(to, column, sum); }
};

struct put_mean {
    float rows;
    channel_statistics to;
    __device__ void operator()(std::int64_t column, float sum) const {
        float const mean = sum / rows;
        to.mean[column] = mean;
        if (to.running_mean != nullptr) to.running_mean[column] += to.momentum * (mean - to.running_mean[column]);
    }
};

struct put_deviation {
    float rows;
    channel_statistics to;
    __device__ void operator()(std::int64_t column, float sum) const {
        to.deviation[column] = 1.0F / sqrtf(sum / rows + to.epsilon);
        float const unbiased = sum / fmaxf(rows - 1.0F, 1.0F);
        if (to.running_variance != nullptr)
            to.running_variance[column] += to.momentum * (unbiased - to.running_variance[column]);
    }
};

struct inverse_step {
    float epsilon;
    float const* variance;
    float* deviation;
    __device__ void operator()(std::int64_t i) const { deviation[i] = 1.0F / sqrtf(variance[i] + epsilon); }
};

struct normalise {
    float mean, deviation, weight, bias;
    __device__ void operator()(float const (&x)[1], float (&y)[1]) const {
        y[0] = (x[0] - mean) * deviation * weight + bias;
    }
};
struct normalise_columns {
    column_norm by;
    __device__ auto operator[](std::int64_t c) const -> normalise {
        return {by.mean[c], by.deviation[c], by.weight[c], by.bias[c]};
    }
};

/// Inputs: x and the output's gradient.
struct normalise_gradient {
    float mean, deviation, weight, weight_sum, bias_sum, rows;
    __device__ void operator()(float const (&x)[2], float (&y)[1]) const {
        float const normal = (x[0] - mean) * deviation;
        float const rest = x[1] - (bias_sum + normal * weight_sum) / rows;
        y[0] = weight * deviation * rest;
    }
};
struct normalise_columns_gradient {
    float rows;
    column_norm by;
    float const* weight_sum;
    float const* bias_sum;
    __device__ auto operator[](std::int64_t c) const -> normalise_gradient {
        return {by.mean[c], by.deviation[c], by.weight[c], weight_sum[c], bias_sum[c], rows};
    }
};

auto chunks_of(std::int64_t rows) -> std::int64_t { return std::clamp<std::int64_t>(ceil_divide(rows, 128), 1, 256); }

template <int Count, bool Packed, class T, class Terms>
auto sum_chunks_in(cudaStream_t stream, std::int64_t rows, std::int64_t columns, Terms terms,
                   pack<T const*, Terms::inputs> const& from, float* partial) -> cudaError_t {
    int width = 32;
    while (width > 1 && (width / 2) * Count >= columns) width /= 2;
    auto const chunks = chunks_of(rows);
    dim3 const blocks(static_cast<unsigned>(ceil_divide(columns, width * Count)), static_cast<unsigned>(chunks));
    return launch(stream, chunk_kernel<Count, Packed, T, Terms>, blocks, threads_of_chunk,
                  chunks_of_rows{rows, columns, ceil_divide(rows, chunks), width}, terms, from, partial);
}

template <class T, class Terms>
auto sum_chunks(cudaStream_t stream, std::int64_t rows, std::int64_t columns, Terms terms,
                pack<T const*, Terms::inputs> const& from, float* partial) -> cudaError_t {
    constexpr int width = pack_width<T>;
    if (columns % width != 0) return sum_chunks_in<1, true>(stream, rows, columns, terms, from, partial);
    if (std::all_of(from.of, from.of + Terms::inputs, begins_pack))
        return sum_chunks_in<width, true>(stream, rows, columns, terms, from, partial);
    return sum_chunks_in<width, false>(stream, rows, columns, terms, from, partial);
}

template <class F>
auto finish_columns(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* partial, F f)
    -> cudaError_t {
    auto const blocks = static_cast<unsigned>(ceil_divide(columns, threads_per_block / 32));
    return launch(stream, finish_kernel<F>, blocks, threads_per_block,
                  chunks_of_columns{columns, chunks_of(rows), partial}, f);
}

auto finish_sum(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* partial, target to)
    -> cudaError_t {
    if (to.at == nullptr) return cudaSuccess;
    return with_type(
        to.as, [&]<class T>() { return finish_columns(stream, rows, columns, partial, put_sum<T>{target_of<T>(to)}); });
}

}  // namespace

auto column_partials(std::int64_t rows, std::int64_t columns) -> std::int64_t { return chunks_of(rows) * columns; }

auto sum_columns(cudaStream_t stream, std::int64_t rows, std::int64_t columns, numbers from, float* partial, target to)
    -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto const status = with_type(from.as, [&]<class T>() {
        return sum_chunks<T>(stream, rows, columns, elements{}, {array_of<T>(from)}, partial);
    });
    return status != cudaSuccess ? status : finish_sum(stream, rows, columns, partial, to);
}

auto norm_parameters(cudaStream_t stream, normalised by, std::int64_t rows, std::int64_t columns, numbers x,
                     float const* mean, float const* deviation, numbers dy, float* partial, target weight, target bias)
    -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto status = with_type(x.as, [&]<class T>() {
        auto const sum = [&]<normalised By>() {
            return sum_chunks<T>(stream, rows, columns, normalised_elements<By>{mean, deviation},
                                 {array_of<T>(x), array_of<T>(dy)}, partial);
        };
        return by == normalised::rows ? sum.template operator()<normalised::rows>()
                                      : sum.template operator()<normalised::columns>();
    });
    if (status == cudaSuccess) status = finish_sum(stream, rows, columns, partial, weight);
    if (status != cudaSuccess) return status;
    return finish_sum(stream, rows, columns, partial + column_partials(rows, columns), bias);
}

auto batch_norm_statistics(cudaStream_t stream, std::int64_t rows, std::int64_t columns, numbers x, float* partial,
                           channel_statistics const& to) -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto const count = static_cast<float>(rows);
    return with_type(x.as, [&]<class T>() {
        auto status = sum_chunks<T>(stream, rows, columns, elements{}, {array_of<T>(x)}, partial);
        if (status == cudaSuccess) status = finish_columns(stream, rows, columns, partial, put_mean{count, to});
        if (status == cudaSuccess)
            status = sum_chunks<T>(stream, rows, columns, squared_distances{to.mean}, {array_of<T>(x)}, partial);
        if (status == cudaSuccess) status = finish_columns(stream, rows, columns, partial, put_deviation{count, to});
        return status;
    });
}

auto inverse_deviations(cudaStream_t stream, std::int64_t count, float epsilon, float const* variance, float* deviation)
    -> cudaError_t {
    return for_each(stream, count, inverse_step{epsilon, variance, deviation});
}

auto batch_norm(cudaStream_t stream, std::int64_t rows, std::int64_t columns, column_norm const& by, numbers x,
                numbers y) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each_in_rows(stream, rows, columns, mapped<T, T>(normalise_columns{by}, {x}, {{y}}));
    });
}

auto batch_norm_backward(cudaStream_t stream, std::int64_t rows, std::int64_t columns, column_norm const& by, numbers x,
                         numbers dy, float const* weight_sum, float const* bias_sum, target dx) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        normalise_columns_gradient const step{static_cast<float>(rows), by, weight_sum, bias_sum};
        return for_each_in_rows(stream, rows, columns, mapped<T, T>(step, {x, dy}, {dx}));
    });
}

}  // namespace train_cuda::kernels
