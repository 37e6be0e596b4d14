#ifndef REPEBBLE_TRAIN_CUDA_KERNELS_HPP
#define REPEBBLE_TRAIN_CUDA_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// What is computed by kernels of our own. Every function only launches, on the stream that it is given, and returns
/// what the launch says. None adds up floats in an order that could change: the same arguments give the same bits.
/// Where a pointer is a target with `add`, the result is added to what is there, else written over it.
namespace train_cuda::kernels {

inline constexpr int most_dimensions = 8;

/// How N tensors of one shape are walked together: the position of step i in each of them, in elements.
template <int N>
struct walk {
    std::int64_t count = 0;
    int rank = 0;
    std::int64_t extent[most_dimensions]{};
    std::int64_t stride[N][most_dimensions]{};
};

/// Where a gradient goes; nullptr where it is not wanted.
struct target {
    float* at = nullptr;
    bool add = false;
};

enum class unary : std::uint8_t { relu, gelu, sigmoid, tanh, scale };

// Element by element. The arrays of a walk are in the order of the pointers. The first output may lie over an input.
auto unary_forward(cudaStream_t, walk<2> const&, unary, float factor, float* y, float const* x) -> cudaError_t;
/// `known` is y, but x of gelu; scale does not read it.
auto unary_backward(cudaStream_t, walk<3> const&, unary, float factor, float const* dy, float const* known, target dx)
    -> cudaError_t;
auto add(cudaStream_t, walk<3> const&, float* y, float const* a, float const* b) -> cudaError_t;
auto multiply(cudaStream_t, walk<3> const&, float* y, float const* a, float const* b) -> cudaError_t;
/// Without dy, that is 1: the gradient of the loss by itself.
auto add_backward(cudaStream_t, walk<3> const&, float const* dy, target da, target db) -> cudaError_t;
auto multiply_backward(cudaStream_t, walk<5> const&, float const* dy, float const* a, float const* b, target da,
                       target db) -> cudaError_t;
/// Elements of 1, 4 or 8 bytes.
auto copy(cudaStream_t, walk<2> const&, std::size_t element_size, void* to, void const* from) -> cudaError_t;
auto copy(cudaStream_t, walk<2> const&, target to, float const* from) -> cudaError_t;

/// What decides which elements a dropout keeps: `word` is the finalizer of fill_pattern.
///   kept(i) = word(word(word(seed, iteration), operation), i) >= threshold,   word(s, i) = fill_pattern{s}.word(i)
struct dropout_rule {
    std::uint64_t seed = 0;
    std::uint64_t const* iteration = nullptr;  ///< in the device's memory
    std::uint64_t operation = 0;
    std::uint64_t threshold = 0;  ///< probability · 2^64
    float factor = 1;             ///< of what is kept
    bool training = true;         ///< false: all is kept as it is
};
/// `mask` may be nullptr.
auto dropout(cudaStream_t, walk<3> const&, dropout_rule const&, float* y, float const* x, std::uint8_t* mask)
    -> cudaError_t;
auto dropout_backward(cudaStream_t, walk<3> const&, float factor, float const* dy, std::uint8_t const* mask, target dx)
    -> cudaError_t;
/// -infinity where the mask is 0.
auto masked(cudaStream_t, walk<3> const&, float* y, float const* x, std::uint8_t const* mask) -> cudaError_t;
auto masked_backward(cudaStream_t, walk<3> const&, float const* dy, std::uint8_t const* mask, target dx) -> cudaError_t;

// Matrices, row by row. y may lie over x, dx over dy.
auto softmax(cudaStream_t, std::int64_t rows, std::int64_t columns, bool logarithm, float* y, float const* x)
    -> cudaError_t;
auto softmax_backward(cudaStream_t, std::int64_t rows, std::int64_t columns, bool logarithm, float const* y,
                      float const* dy, target dx) -> cudaError_t;
auto layer_norm(cudaStream_t, std::int64_t rows, std::int64_t columns, float epsilon, float const* x,
                float const* weight, float const* bias, float* y, float* mean, float* deviation) -> cudaError_t;
auto layer_norm_backward(cudaStream_t, std::int64_t rows, std::int64_t columns, float const* x, float const* weight,
                         float const* mean, float const* deviation, float const* dy, target dx) -> cudaError_t;
/// y[r][c] += bias[c]
auto add_to_rows(cudaStream_t, std::int64_t rows, std::int64_t columns, float const* bias, float* y) -> cudaError_t;

// Sums of the columns of a matrix.
/// Floats of `partial` for each sum.
auto column_partials(std::int64_t rows, std::int64_t columns) -> std::int64_t;
auto sum_columns(cudaStream_t, std::int64_t rows, std::int64_t columns, float const* from, float* partial, target to)
    -> cudaError_t;
/// Takes two sums' `partial`.
auto layer_norm_parameters(cudaStream_t, std::int64_t rows, std::int64_t columns, float const* x, float const* mean,
                           float const* deviation, float const* dy, float* partial, target weight, target bias)
    -> cudaError_t;

/// Images with their channels together, a window over them, and what comes out.
struct pooling {
    std::int64_t images = 0, channels = 0;
    std::int64_t height = 0, width = 0;          ///< of the input
    std::int64_t out_height = 0, out_width = 0;  ///< of the output
    std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};
/// The position of the greatest element is row · width + column; of equal ones, the first.
auto max_pool(cudaStream_t, pooling const&, float const* x, float* y, std::int64_t* positions) -> cudaError_t;
auto max_pool_backward(cudaStream_t, pooling const&, std::int64_t const* positions, float const* dy, target dx)
    -> cudaError_t;
/// Padding counts as zeros, what a rounded-up window has beyond the padding does not count.
auto average_pool(cudaStream_t, pooling const&, float const* x, float* y) -> cudaError_t;
auto average_pool_backward(cudaStream_t, pooling const&, float const* dy, target dx) -> cudaError_t;
/// Cell i of n reaches from floor(i · extent / n) to ceil((i + 1) · extent / n).
auto adaptive_pool(cudaStream_t, pooling const&, float const* x, float* y) -> cudaError_t;
auto adaptive_pool_backward(cudaStream_t, pooling const&, float const* dy, target dx) -> cudaError_t;
/// Bilinear; the centre of output pixel i is at (i + 1/2) · height / out_height of the input.
auto resize(cudaStream_t, pooling const&, float const* x, float* y) -> cudaError_t;
auto resize_backward(cudaStream_t, pooling const&, float const* dy, target dx) -> cudaError_t;

/// y = x / (k + alpha · sum of squares of the neighbours) ^ beta, for each of `pixels`.
struct response_norm {
    std::int64_t pixels = 0, channels = 0, neighbours = 1;
    float k = 1, alpha = 0, beta = 1;
};
auto local_response_norm(cudaStream_t, response_norm const&, float const* x, float* y) -> cudaError_t;
auto local_response_norm_backward(cudaStream_t, response_norm const&, float const* x, float const* dy, target dx)
    -> cudaError_t;

// Tables. An index that is not in the table gives zeros, and no gradient.
auto embedding(cudaStream_t, std::int64_t count, std::int64_t rows, std::int64_t features, std::int64_t const* indices,
               float const* table, float* y) -> cudaError_t;
/// Adds to the gradient of the table.
auto embedding_backward(cudaStream_t, std::int64_t count, std::int64_t rows, std::int64_t features,
                        std::int64_t const* indices, float const* dy, float* table_gradient) -> cudaError_t;

/// Doubles of `partial`.
auto loss_partials(std::int64_t rows) -> std::int64_t;
/// The mean of minus the logarithm at each row's label, of the rows whose label is a class; 0 where there is none.
auto nll_loss(cudaStream_t, std::int64_t rows, std::int64_t classes, float const* logarithms,
              std::int64_t const* labels, double* partial, float* loss, float* count) -> cudaError_t;
/// `of_loss` is the gradient of the loss, or nullptr where that is 1.
auto nll_loss_backward(cudaStream_t, std::int64_t rows, std::int64_t classes, std::int64_t const* labels,
                       float const* count, float const* of_loss, target dx) -> cudaError_t;

/// From (K, C, positions) to (K, positions, C).
auto channels_to_end(cudaStream_t, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                     float const* from, float* to) -> cudaError_t;
/// And back.
auto channels_from_end(cudaStream_t, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                       float const* from, target to) -> cudaError_t;

// Memory.
auto accumulate(cudaStream_t, std::int64_t count, float* sum, float const* first, float const* second) -> cudaError_t;
auto sgd(cudaStream_t, std::int64_t count, float* parameter, float const* gradient, float* velocity, float rate,
         float momentum, float decay) -> cudaError_t;
auto set_word(cudaStream_t, std::uint64_t* at, std::uint64_t value) -> cudaError_t;
auto fill(cudaStream_t, void* at, std::int64_t size, std::uint64_t seed) -> cudaError_t;
/// `result` must be 0 before.
auto highest_change(cudaStream_t, void const* at, std::int64_t size, std::uint64_t seed, unsigned long long* result)
    -> cudaError_t;

}  // namespace train_cuda::kernels

#endif
