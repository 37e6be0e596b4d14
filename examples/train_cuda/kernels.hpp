#ifndef REPEBBLE_TRAIN_CUDA_KERNELS_HPP
#define REPEBBLE_TRAIN_CUDA_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// What is computed by kernels of our own. Every function only launches, on the stream that it is given, and returns
/// what the launch says. None adds up floats in an order that could change: the same arguments give the same bits.
/// To a target with `add` the result is added, else it is written over what is there. All numbers of a call are stored
/// alike, but those of a target that is called a parameter's, which are floats, and what is a pointer to floats.
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

/// What numbers with a fraction are stored as. All is computed with floats.
enum class stored : std::uint8_t { float32, bfloat16 };

/// An array of such numbers, to be read or written; nullptr where there is none.
struct numbers {
    void* at = nullptr;
    stored as = stored::float32;
};

/// Where a gradient goes; nullptr where it is not wanted.
struct target : numbers {
    bool add = false;
};

enum class unary : std::uint8_t { relu, gelu, sigmoid, tanh, silu, scale };

// Element by element. The arrays of a walk are in the order of the pointers. The first output may lie over an input.
auto unary_forward(cudaStream_t, walk<2> const&, unary, float factor, numbers y, numbers x) -> cudaError_t;
/// `known` is y, but x of gelu and silu; scale does not read it.
auto unary_backward(cudaStream_t, walk<3> const&, unary, float factor, numbers dy, numbers known, target dx)
    -> cudaError_t;
auto add(cudaStream_t, walk<3> const&, numbers y, numbers a, numbers b) -> cudaError_t;
auto multiply(cudaStream_t, walk<3> const&, numbers y, numbers a, numbers b) -> cudaError_t;
/// Without dy, that is 1: the gradient of the loss by itself.
auto add_backward(cudaStream_t, walk<3> const&, numbers dy, target da, target db) -> cudaError_t;
auto multiply_backward(cudaStream_t, walk<5> const&, numbers dy, numbers a, numbers b, target da, target db)
    -> cudaError_t;
/// Elements of 1, 2, 4 or 8 bytes.
auto copy(cudaStream_t, walk<2> const&, std::size_t element_size, void* to, void const* from) -> cudaError_t;
auto copy(cudaStream_t, walk<2> const&, target to, numbers from) -> cudaError_t;

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
auto dropout(cudaStream_t, walk<3> const&, dropout_rule const&, numbers y, numbers x, std::uint8_t* mask)
    -> cudaError_t;
auto dropout_backward(cudaStream_t, walk<3> const&, float factor, numbers dy, std::uint8_t const* mask, target dx)
    -> cudaError_t;
/// -infinity where the mask is 0.
auto masked(cudaStream_t, walk<3> const&, numbers y, numbers x, std::uint8_t const* mask) -> cudaError_t;
auto masked_backward(cudaStream_t, walk<3> const&, numbers dy, std::uint8_t const* mask, target dx) -> cudaError_t;

// Matrices, row by row. y may lie over x, dx over dy.
auto softmax(cudaStream_t, std::int64_t rows, std::int64_t columns, bool logarithm, numbers y, numbers x)
    -> cudaError_t;
auto softmax_backward(cudaStream_t, std::int64_t rows, std::int64_t columns, bool logarithm, numbers y, numbers dy,
                      target dx) -> cudaError_t;
/// With neither bias nor mean: by the mean square of a row. `deviation` is the inverse root of that, as of the
/// variance.
auto layer_norm(cudaStream_t, std::int64_t rows, std::int64_t columns, float epsilon, numbers x, float const* weight,
                float const* bias, numbers y, float* mean, float* deviation) -> cudaError_t;
auto layer_norm_backward(cudaStream_t, std::int64_t rows, std::int64_t columns, numbers x, float const* weight,
                         float const* mean, float const* deviation, numbers dy, target dx) -> cudaError_t;
/// Rotates the pairs k, k + size/2 of each row by its position, the row modulo the length, or back. `angles`: of each
/// position the cosines, then the sines. y may lie over x.
struct rotation {
    std::int64_t rows = 0, length = 1, size = 2;
    float const* angles = nullptr;
    bool back = false;
};
auto rotate(cudaStream_t, rotation const&, numbers x, target y) -> cudaError_t;
/// y[r][c] += bias[c]
auto add_to_rows(cudaStream_t, std::int64_t rows, std::int64_t columns, float const* bias, numbers y) -> cudaError_t;

// Sums of the columns of a matrix. Their targets may be stored in their own way.
/// Floats of `partial` for each sum.
auto column_partials(std::int64_t rows, std::int64_t columns) -> std::int64_t;
auto sum_columns(cudaStream_t, std::int64_t rows, std::int64_t columns, numbers from, float* partial, target to)
    -> cudaError_t;
/// Takes two sums' `partial`: over a column's gradients times the normalised x, and over its gradients. Mean and
/// inverse deviation are those of each row, or of each column; without a mean of rows it is 0. Both targets are
/// parameters'.
enum class normalised : std::uint8_t { rows, columns };
auto norm_parameters(cudaStream_t, normalised, std::int64_t rows, std::int64_t columns, numbers x, float const* mean,
                     float const* deviation, numbers dy, float* partial, target weight, target bias) -> cudaError_t;

// Batch norm of a matrix with a column for each channel, for those numbers that cuDNN has none for.
struct channel_statistics {
    float* mean = nullptr;
    float* deviation = nullptr;     ///< its inverse
    float* running_mean = nullptr;  ///< nullptr: they stay as they are
    float* running_variance = nullptr;
    float epsilon = 0, momentum = 0;  ///< momentum: how far the running ones move towards those of the batch
};
/// Of each column. Takes one sum's `partial`.
auto batch_norm_statistics(cudaStream_t, std::int64_t rows, std::int64_t columns, numbers x, float* partial,
                           channel_statistics const& to) -> cudaError_t;
/// Inverse deviations of variances.
auto inverse_deviations(cudaStream_t, std::int64_t count, float epsilon, float const* variance, float* deviation)
    -> cudaError_t;
/// What each column is normalised by.
struct column_norm {
    float const* weight = nullptr;
    float const* bias = nullptr;  ///< not read by the gradient
    float const* mean = nullptr;
    float const* deviation = nullptr;
};
auto batch_norm(cudaStream_t, std::int64_t rows, std::int64_t columns, column_norm const&, numbers x, numbers y)
    -> cudaError_t;
/// Given the two sums of `norm_parameters`.
auto batch_norm_backward(cudaStream_t, std::int64_t rows, std::int64_t columns, column_norm const&, numbers x,
                         numbers dy, float const* weight_sum, float const* bias_sum, target dx) -> cudaError_t;

/// Images with their channels together, a window over them, and what comes out.
struct pooling {
    std::int64_t images = 0, channels = 0;
    std::int64_t height = 0, width = 0;          ///< of the input
    std::int64_t out_height = 0, out_width = 0;  ///< of the output
    std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};
/// The position of the greatest element is row · width + column; of equal ones, the first.
auto max_pool(cudaStream_t, pooling const&, numbers x, numbers y, std::int64_t* positions) -> cudaError_t;
auto max_pool_backward(cudaStream_t, pooling const&, std::int64_t const* positions, numbers dy, target dx)
    -> cudaError_t;
/// Padding counts as zeros, what a rounded-up window has beyond the padding does not count.
auto average_pool(cudaStream_t, pooling const&, numbers x, numbers y) -> cudaError_t;
auto average_pool_backward(cudaStream_t, pooling const&, numbers dy, target dx) -> cudaError_t;
/// Cell i of n reaches from floor(i · extent / n) to ceil((i + 1) · extent / n).
auto adaptive_pool(cudaStream_t, pooling const&, numbers x, numbers y) -> cudaError_t;
auto adaptive_pool_backward(cudaStream_t, pooling const&, numbers dy, target dx) -> cudaError_t;
/// Bilinear; the centre of output pixel i is at (i + 1/2) · height / out_height of the input.
auto resize(cudaStream_t, pooling const&, numbers x, numbers y) -> cudaError_t;
auto resize_backward(cudaStream_t, pooling const&, numbers dy, target dx) -> cudaError_t;

/// y = x / (k + alpha · sum of squares of the neighbours) ^ beta, for each of `pixels`.
struct response_norm {
    std::int64_t pixels = 0, channels = 0, neighbours = 1;
    float k = 1, alpha = 0, beta = 1;
};
auto local_response_norm(cudaStream_t, response_norm const&, numbers x, numbers y) -> cudaError_t;
auto local_response_norm_backward(cudaStream_t, response_norm const&, numbers x, numbers dy, target dx) -> cudaError_t;

// Tables. An index that is not in the table gives zeros, and no gradient.
auto embedding(cudaStream_t, std::int64_t count, std::int64_t rows, std::int64_t features, std::int64_t const* indices,
               float const* table, numbers y) -> cudaError_t;
/// Adds to the gradient of the table.
auto embedding_backward(cudaStream_t, std::int64_t count, std::int64_t rows, std::int64_t features,
                        std::int64_t const* indices, numbers dy, float* table_gradient) -> cudaError_t;

/// Doubles of `partial`.
auto loss_partials(std::int64_t rows) -> std::int64_t;
/// The mean of minus the logarithm at each row's label, of the rows whose label is a class; 0 where there is none.
auto nll_loss(cudaStream_t, std::int64_t rows, std::int64_t classes, numbers logarithms, std::int64_t const* labels,
              double* partial, float* loss, float* count) -> cudaError_t;
/// `of_loss` is the gradient of the loss, or nullptr where that is 1.
auto nll_loss_backward(cudaStream_t, std::int64_t rows, std::int64_t classes, std::int64_t const* labels,
                       float const* count, float const* of_loss, target dx) -> cudaError_t;

/// From floats (K, C, positions) to (K, positions, C).
auto channels_to_end(cudaStream_t, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                     float const* from, numbers to) -> cudaError_t;
/// And back, to a parameter's target.
auto channels_from_end(cudaStream_t, std::int64_t filters, std::int64_t channels, std::int64_t positions, numbers from,
                       target to) -> cudaError_t;

// Memory.
auto accumulate(cudaStream_t, std::int64_t count, numbers sum, numbers first, numbers second) -> cudaError_t;
/// Floats, rounded to the nearest bfloat16s.
auto to_bfloat16(cudaStream_t, std::int64_t count, void* to, float const* from) -> cudaError_t;
auto sgd(cudaStream_t, std::int64_t count, float* parameter, float const* gradient, float* velocity, float rate,
         float momentum, float decay) -> cudaError_t;
auto set_word(cudaStream_t, std::uint64_t* at, std::uint64_t value) -> cudaError_t;
auto fill(cudaStream_t, void* at, std::int64_t size, std::uint64_t seed) -> cudaError_t;
/// `result` must be 0 before.
auto highest_change(cudaStream_t, void const* at, std::int64_t size, std::uint64_t seed, unsigned long long* result)
    -> cudaError_t;

}  // namespace train_cuda::kernels

#endif
