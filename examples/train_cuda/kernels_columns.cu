#include <algorithm>
#include <cmath>

#include "map_support.cuh"

namespace train_cuda::kernels {

namespace {

inline constexpr int column_width = 32;  // threads side by side, each with a column
inline constexpr int column_depth = 8;   // threads below one another, each with every eighth row

template <class T>
struct element_of {
    std::int64_t columns;
    T const* from;
    static constexpr int sums = 1;
    __device__ void add(std::int64_t row, std::int64_t column, float (&sum)[1]) const {
        sum[0] += load(from, row * columns + column);
    }
};

template <class T>
struct squared_distance_of {
    std::int64_t columns;
    T const* from;
    float const* mean;
    static constexpr int sums = 1;
    __device__ void add(std::int64_t row, std::int64_t column, float (&sum)[1]) const {
        float const distance = load(from, row * columns + column) - mean[column];
        sum[0] += distance * distance;
    }
};

template <class T, normalised By>
struct normalised_element_of {
    std::int64_t columns;
    T const* x;
    float const* mean;
    float const* deviation;
    T const* dy;
    static constexpr int sums = 2;
    __device__ void add(std::int64_t row, std::int64_t column, float (&sum)[2]) const {
        auto const by = By == normalised::rows ? row : column;
        float const g = load(dy, row * columns + column);
        sum[0] += g * ((load(x, row * columns + column) - mean[by]) * deviation[by]);
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

struct chunks_of_columns {
    std::int64_t columns, chunks;
    float const* partial;
    __device__ auto sum(std::int64_t column) const -> float {
        float whole = 0;
        for (std::int64_t i = 0; i < chunks; ++i) whole += partial[i * columns + column];
        return whole;
    }
};

template <class T>
struct sum_of_chunks {
    chunks_of_columns from;
    target_of<T> to;
    __device__ void operator()(std::int64_t column) const { put(to, column, from.sum(column)); }
};

struct mean_of_chunks {
    chunks_of_columns from;
    float rows;
    channel_statistics to;
    __device__ void operator()(std::int64_t column) const {
        float const mean = from.sum(column) / rows;
        to.mean[column] = mean;
        if (to.running_mean != nullptr) to.running_mean[column] += to.momentum * (mean - to.running_mean[column]);
    }
};

struct deviation_of_chunks {
    chunks_of_columns from;
    float rows;
    channel_statistics to;
    __device__ void operator()(std::int64_t column) const {
        float const sum = from.sum(column);
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

template <class Element>
auto sum_chunks(cudaStream_t stream, std::int64_t rows, std::int64_t columns, Element element, float* partial)
    -> cudaError_t {
    auto const chunks = chunks_of(rows);
    dim3 const blocks(static_cast<unsigned>(ceil_divide(columns, column_width)), static_cast<unsigned>(chunks));
    return launch(stream, chunk_kernel<Element>, blocks, dim3(column_width, column_depth), rows, columns,
                  ceil_divide(rows, chunks), element, partial);
}

auto chunks_in(std::int64_t rows, std::int64_t columns, float const* partial) -> chunks_of_columns {
    return {columns, chunks_of(rows), partial};
}

auto finish_sum(cudaStream_t stream, std::int64_t rows, std::int64_t columns, float const* partial, target to)
    -> cudaError_t {
    if (to.at == nullptr) return cudaSuccess;
    return with_type(to.as, [&]<class T>() {
        return for_each(stream, columns, sum_of_chunks<T>{chunks_in(rows, columns, partial), target_of<T>(to)});
    });
}

}  // namespace

auto column_partials(std::int64_t rows, std::int64_t columns) -> std::int64_t { return chunks_of(rows) * columns; }

auto sum_columns(cudaStream_t stream, std::int64_t rows, std::int64_t columns, numbers from, float* partial, target to)
    -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto const status = with_type(from.as, [&]<class T>() {
        return sum_chunks(stream, rows, columns, element_of<T>{columns, array_of<T>(from)}, partial);
    });
    return status != cudaSuccess ? status : finish_sum(stream, rows, columns, partial, to);
}

auto norm_parameters(cudaStream_t stream, normalised by, std::int64_t rows, std::int64_t columns, numbers x,
                     float const* mean, float const* deviation, numbers dy, float* partial, target weight, target bias)
    -> cudaError_t {
    if (columns <= 0) return cudaSuccess;
    auto status = with_type(x.as, [&]<class T>() {
        auto const sum = [&]<normalised By>() {
            normalised_element_of<T, By> const element{columns, array_of<T>(x), mean, deviation, array_of<T>(dy)};
            return sum_chunks(stream, rows, columns, element, partial);
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
    auto const from = chunks_in(rows, columns, partial);
    auto const count = static_cast<float>(rows);
    return with_type(x.as, [&]<class T>() {
        auto status = sum_chunks(stream, rows, columns, element_of<T>{columns, array_of<T>(x)}, partial);
        if (status == cudaSuccess) status = for_each(stream, columns, mean_of_chunks{from, count, to});
        squared_distance_of<T> const distances{columns, array_of<T>(x), to.mean};
        if (status == cudaSuccess) status = sum_chunks(stream, rows, columns, distances, partial);
        if (status == cudaSuccess) status = for_each(stream, columns, deviation_of_chunks{from, count, to});
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
