#include <cmath>

#include "kernel_support.cuh"

namespace train_cuda::kernels {

namespace {

template <class T>
struct dropout_step {
    dropout_rule rule;
    T* y;
    T const* x;
    std::uint8_t* mask;
    __device__ void operator()(std::int64_t i, std::int64_t const (&at)[3]) const {
        bool kept = true;
        if (rule.training) {
            auto const seed = pattern_word(pattern_word(rule.seed, *rule.iteration), rule.operation);
            kept = pattern_word(seed, static_cast<std::uint64_t>(i)) >= rule.threshold;
        }
        float const value = load(x, at[1]);
        store(y, at[0], kept ? (rule.training ? value * rule.factor : value) : 0.0F);
        if (mask != nullptr) mask[at[2]] = kept ? 1 : 0;
    }
};

template <class T>
struct dropout_gradient {
    float factor;
    T const* dy;
    std::uint8_t const* mask;
    target_of<T> dx;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        float const g = load(dy, at[0]);
        put(dx, at[2], mask[at[1]] != 0 ? g * factor : 0.0F);
    }
};

template <class T>
struct masked_step {
    T* y;
    T const* x;
    std::uint8_t const* mask;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        float const value = load(x, at[1]);
        store(y, at[0], mask[at[2]] != 0 ? value : -INFINITY);
    }
};

}  // namespace

auto dropout(cudaStream_t stream, walk<3> const& w, dropout_rule const& rule, numbers y, numbers x, std::uint8_t* mask)
    -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return for_each(stream, w, dropout_step<T>{rule, array_of<T>(y), array_of<T>(x), mask});
    });
}

auto dropout_backward(cudaStream_t stream, walk<3> const& w, float factor, numbers dy, std::uint8_t const* mask,
                      target dx) -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        return for_each(stream, w, dropout_gradient<T>{factor, array_of<T>(dy), mask, target_of<T>(dx)});
    });
}

auto masked(cudaStream_t stream, walk<3> const& w, numbers y, numbers x, std::uint8_t const* mask) -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return for_each(stream, w, masked_step<T>{array_of<T>(y), array_of<T>(x), mask});
    });
}

auto masked_backward(cudaStream_t stream, walk<3> const& w, numbers dy, std::uint8_t const* mask, target dx)
    -> cudaError_t {
    return dropout_backward(stream, w, 1.0F, dy, mask, dx);
}

}  // namespace train_cuda::kernels
