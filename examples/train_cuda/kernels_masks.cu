#include <cmath>

#include "kernel_support.cuh"

namespace train_cuda::kernels {

namespace {

struct dropout_step {
    dropout_rule rule;
    float* y;
    float const* x;
    std::uint8_t* mask;
    __device__ void operator()(std::int64_t i, std::int64_t const (&at)[3]) const {
        bool kept = true;
        if (rule.training) {
            auto const seed = pattern_word(pattern_word(rule.seed, *rule.iteration), rule.operation);
            kept = pattern_word(seed, static_cast<std::uint64_t>(i)) >= rule.threshold;
        }
        float const value = x[at[1]];
        y[at[0]] = kept ? (rule.training ? value * rule.factor : value) : 0.0F;
        if (mask != nullptr) mask[at[2]] = kept ? 1 : 0;
    }
};

struct dropout_gradient {
    float factor;
    float const* dy;
    std::uint8_t const* mask;
    target dx;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        float const g = dy[at[0]];
        put(dx, at[2], mask[at[1]] != 0 ? g * factor : 0.0F);
    }
};

struct masked_step {
    float* y;
    float const* x;
    std::uint8_t const* mask;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        float const value = x[at[1]];
        y[at[0]] = mask[at[2]] != 0 ? value : -INFINITY;
    }
};

}  // namespace

auto dropout(cudaStream_t stream, walk<3> const& w, dropout_rule const& rule, float* y, float const* x,
             std::uint8_t* mask) -> cudaError_t {
    return for_each(stream, w, dropout_step{rule, y, x, mask});
}

auto dropout_backward(cudaStream_t stream, walk<3> const& w, float factor, float const* dy, std::uint8_t const* mask,
                      target dx) -> cudaError_t {
    return for_each(stream, w, dropout_gradient{factor, dy, mask, dx});
}

auto masked(cudaStream_t stream, walk<3> const& w, float* y, float const* x, std::uint8_t const* mask) -> cudaError_t {
    return for_each(stream, w, masked_step{y, x, mask});
}

auto masked_backward(cudaStream_t stream, walk<3> const& w, float const* dy, std::uint8_t const* mask, target dx)
    -> cudaError_t {
    return dropout_backward(stream, w, 1.0F, dy, mask, dx);
}

}  // namespace train_cuda::kernels
