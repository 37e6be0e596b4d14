#include <algorithm>

#include "kernel_support.cuh"

namespace train_cuda::kernels {

namespace {

inline constexpr int column_width = 32;  // threads side by side, each with a column
inline constexpr int column_depth = 8;   // threads below one another, each with every eighth row

struct element_of {
    std::int64_t columns;
    float const* from;
    static constexpr int sums = 1;
    __device__ void add(std::int64_t row, std::int64_t column, float (&sum)[1]) const {
        sum[0] += from[row * columns + column];
    }
};

struct normalised_element_of {
    std::int64_t columns;
    float const* x;
    float const* mean;
    float const* deviation;
    float const* dy;
    static constexpr int sums = 2;
    __device__ void add(std::int64_t row, std::int64_t column, float (&sum)[2]) const {
        float const g = dy[row * columns + column];
        sum[0] += g * ((x[row * columns + column] - mean[row]) * deviation[row]);
        sum[1] += g;
    }
};

/// Rows of one chunk: for every sum and chunk a row of `partial`.
template <class Element>
__global__ void __launch_bounds__(column_width* column_depth)
    chunk_kernel(std::int64_t rows, std::int64_t columns, std::int64_t rows_of_chunk, Element element, float* partial) {
    __shared__ float shared[Element::sums][column_depth][column_width];
    auto const column = static_cast<std::int64_t>(blockIdx.x) * column_width + threadIdx.x;
    auto const begin = static_cast<std::int64_t>(blockIdx.y) * rows_of_chunk;
    auto const end = min(rows, begin + rows_of_chunk);
    float sum[Element::sums]{};
    if (column < columns)
        for (auto row = begin + threadIdx.y; row < end; row += column_depth) element.add(row, column, sum);
    for (int s = 0; s < Element::sums; ++s) shared[s][threadIdx.y][threadIdx.x] = sum[s];
    __syncthreads();
    if (threadIdx.y != 0 || column >= columns) return;
    for (int s = 0; s < Element::sums; ++s) {
        float whole = 0;
        for (int i = 0; i < column_depth; ++i) whole += shared[s][i][threadIdx.x];
        partial[(static_cast<std::int64_t>(s) * gridDim.y + blockIdx.y) * columns + column] = whole;
    }
}

struct sum_of_chunks {
    std::int64_t columns, chunks;
    float const* partial;
    target to;
    __device__ void operator()(std::int64_t column) const {
        float whole = 0;
        for (std::int64_t i = 0; i < chunks; ++i) whole += partial[i * columns + column];
        put(to, column, whole);
    }
};

auto chunks_of(std::int64_t rows) -> std::int64_t { return std::clamp<std::int64_t>(ceil_divide(rows, 128), 1, 256); }

template <class Element>
auto sum_chunks(cudaStream_t stream, std::int64_t rows, std::int64_t columns, Element element, float* partial)
    -> cudaError_t {
    auto const chunks = chunks_of(rows);
    dim3 const blocks(static_cast<unsigned>(ceil_divide(columns, column_width)), static_cast<unsigned>(chunks));
    chunk_kernel<<<blocks, dim3(column_width, column_depth), 0, stream>>>(rows, columns, ceil_divide(rows, chunks),
                                                                          element, partial);
    return cudaGetLastError();
}

auto finish_sum(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* partial, target to)
    -> cudaError_t {
    if (to.at == nullptr) return cudaSuccess;
    return for_each(stream, columns, sum_of_chunks{columns, chunks_of(rows), partial, to});
}

}  // namespace

auto column_partials(std::int64_t rows, std::int64_t columns) -> std::int64_t { return chunks_of(rows) * columns; }

auto sum_columns(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* from, float* partial,
                 target to) -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto const status = sum_chunks(stream, rows, columns, element_of{columns, from}, partial);
    return status != cudaSuccess ? status : finish_sum(stream, rows, columns, partial, to);
}

auto layer_norm_parameters(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* x,
                           float const* mean, float const* deviation, float const* dy, float* partial, target weight,
                           target bias) -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto status = sum_chunks(stream, rows, columns, normalised_element_of{columns, x, mean, deviation, dy}, partial);
    if (status == cudaSuccess) status = finish_sum(stream, rows, columns, partial, weight);
    if (status != cudaSuccess) return status;
    return finish_sum(stream, rows, columns, partial + column_partials(rows, columns), bias);
}

}  // namespace train_cuda::kernels
