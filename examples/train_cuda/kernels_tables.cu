#include "kernel_support.cuh"

namespace train_cuda::kernels {

namespace {

template <class T>
struct embedding_step {
    std::int64_t rows, features;
    std::int64_t const* indices;
    float const* table;
    T* y;
    __device__ void operator()(std::int64_t i) const {
        auto const row = indices[i / features];
        store(y, i, row < 0 || row >= rows ? 0.0F : table[row * features + i % features]);
    }
};

/// One block for each index. That of the first index of its value sums the gradients of all of that value, in their
/// order; the others do nothing.
template <class T>
__global__ void __launch_bounds__(threads_per_block)
    embedding_gradient_kernel(std::int64_t count, std::int64_t rows, std::int64_t features, std::int64_t const* indices,
                              T const* dy, float* gradient) {
    __shared__ unsigned equal[threads_per_block / 32];
    auto const mine = static_cast<std::int64_t>(blockIdx.x);
    auto const row = indices[mine];
    if (row < 0 || row >= rows) return;
    int earlier = 0;
    for (std::int64_t i = threadIdx.x; i < mine && earlier == 0; i += threads_per_block) earlier = indices[i] == row;
    if (__syncthreads_or(earlier) != 0) return;
    for (std::int64_t first = 0; first < features; first += threads_per_block) {
        auto const feature = first + threadIdx.x;
        float sum = 0;
        for (auto begin = mine; begin < count; begin += threads_per_block) {
            auto const i = begin + threadIdx.x;
            auto const votes = __ballot_sync(~0U, i < count && indices[i] == row);
            if (threadIdx.x % 32 == 0) equal[threadIdx.x / 32] = votes;
            __syncthreads();
            for (int warp = 0; warp < threads_per_block / 32; ++warp)
                for (auto left = equal[warp]; left != 0; left &= left - 1) {
                    auto const at = begin + warp * 32 + __ffs(static_cast<int>(left)) - 1;
                    if (feature < features) sum += load(dy, at * features + feature);
                }
            __syncthreads();
        }
        if (feature < features) gradient[row * features + feature] += sum;
    }
}

inline constexpr std::int64_t loss_blocks = 256;

struct loss_sums {
    double loss, count;
    __device__ auto operator+(loss_sums const& other) const -> loss_sums {
        return {loss + other.loss, count + other.count};
    }
};

__device__ auto reduce_loss(loss_sums mine) -> loss_sums {
    mine.loss = reduce<threads_per_block>(mine.loss, plus{});
    mine.count = reduce<threads_per_block>(mine.count, plus{});
    return mine;
}

template <class T>
__global__ void __launch_bounds__(threads_per_block)
    loss_kernel(std::int64_t rows, std::int64_t classes, T const* logarithms, std::int64_t const* labels,
                double* partial) {
    loss_sums mine{0, 0};
    auto const step = static_cast<std::int64_t>(gridDim.x) * threads_per_block;
    for (auto r = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x; r < rows; r += step) {
        auto const label = labels[r];
        if (label >= 0 && label < classes)
            mine = mine + loss_sums{static_cast<double>(load(logarithms, r * classes + label)), 1.0};
    }
    mine = reduce_loss(mine);
    if (threadIdx.x == 0) {
        partial[2 * blockIdx.x] = mine.loss;
        partial[2 * blockIdx.x + 1] = mine.count;
    }
}

__global__ void __launch_bounds__(threads_per_block)
    loss_end_kernel(int blocks, double const* partial, float* loss, float* count) {
    loss_sums mine{0, 0};
    for (int i = static_cast<int>(threadIdx.x); i < blocks; i += threads_per_block)
        mine = mine + loss_sums{partial[2 * i], partial[2 * i + 1]};
    mine = reduce_loss(mine);
    if (threadIdx.x == 0) {
        *loss = mine.count > 0 ? static_cast<float>(-mine.loss / mine.count) : 0.0F;
        *count = static_cast<float>(mine.count);
    }
}

template <class T>
struct loss_gradient {
    std::int64_t classes;
    std::int64_t const* labels;
    float const* count;
    float const* of_loss;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        bool const chosen = labels[i / classes] == i % classes;
        float const all = of_loss == nullptr ? 1.0F : *of_loss;
        put(dx, i, chosen ? -all / *count : 0.0F);
    }
};

auto loss_blocks_for(std::int64_t rows) -> std::int64_t {
    return std::clamp<std::int64_t>(ceil_divide(rows, threads_per_block), 1, loss_blocks);
}

}  // namespace

auto embedding(cudaStream_t stream, std::int64_t count, std::int64_t rows, std::int64_t features,
               std::int64_t const* indices, float const* table, numbers y) -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return for_each(stream, count * features, embedding_step<T>{rows, features, indices, table, array_of<T>(y)});
    });
}

auto embedding_backward(cudaStream_t stream, std::int64_t count, std::int64_t rows, std::int64_t features,
                        std::int64_t const* indices, numbers dy, float* table_gradient) -> cudaError_t {
    if (count <= 0) return cudaSuccess;
    return with_type(dy.as, [&]<class T>() {
        return launch(stream, embedding_gradient_kernel<T>, static_cast<unsigned>(count), threads_per_block, count,
                      rows, features, indices, array_of<T>(dy), table_gradient);
    });
}

auto loss_partials(std::int64_t rows) -> std::int64_t { return 2 * loss_blocks_for(rows); }

auto nll_loss(cudaStream_t stream, std::int64_t rows, std::int64_t classes, numbers logarithms,
              std::int64_t const* labels, double* partial, float* loss, float* count) -> cudaError_t {
    auto const blocks = static_cast<int>(loss_blocks_for(rows));
    auto const status = with_type(logarithms.as, [&]<class T>() {
        return launch(stream, loss_kernel<T>, static_cast<unsigned>(blocks), threads_per_block, rows, classes,
                      array_of<T>(logarithms), labels, partial);
    });
    if (status != cudaSuccess) return status;
    return launch(stream, loss_end_kernel, 1, threads_per_block, blocks, partial, loss, count);
}

auto nll_loss_backward(cudaStream_t stream, std::int64_t rows, std::int64_t classes, std::int64_t const* labels,
                       float const* count, float const* of_loss, target dx) -> cudaError_t {
    return with_type(dx.as, [&]<class T>() {
        return for_each(stream, rows * classes, loss_gradient<T>{classes, labels, count, of_loss, target_of<T>(dx)});
    });
}

}  // namespace train_cuda::kernels
