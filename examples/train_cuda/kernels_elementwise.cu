#include <cmath>

#include "map_support.cuh"

namespace train_cuda::kernels {

namespace {

template <unary F>
struct function_of {
    float factor;

    __device__ auto value(float x) const -> float {
        if constexpr (F == unary::relu) return x > 0 || isnan(x) ? x : 0.0F;
        if constexpr (F == unary::gelu) return 0.5F * x * (1.0F + erff(x * 0.70710678118654752F));
        if constexpr (F == unary::sigmoid) return 1.0F / (1.0F + expf(-x));
        if constexpr (F == unary::tanh) return tanhf(x);
        if constexpr (F == unary::silu) return x / (1.0F + expf(-x));
        if constexpr (F == unary::scale) return factor * x;
    }
    /// By the output, but of gelu and silu by the input.
    __device__ auto derivative(float known) const -> float {
        if constexpr (F == unary::relu) return known > 0 ? 1.0F : 0.0F;
        if constexpr (F == unary::gelu) {
            float const below = 0.5F * (1.0F + erff(known * 0.70710678118654752F));
            return below + known * 0.39894228040143268F * expf(-0.5F * known * known);
        }
        if constexpr (F == unary::sigmoid) return known * (1.0F - known);
        if constexpr (F == unary::tanh) return 1.0F - known * known;
        if constexpr (F == unary::silu) {
            float const below = 1.0F / (1.0F + expf(-known));
            return below * (1.0F + known * (1.0F - below));
        }
        if constexpr (F == unary::scale) return factor;
    }
};

template <unary F>
struct value_of {
    function_of<F> f;
    __device__ void operator()(float const (&x)[1], float (&y)[1]) const { y[0] = f.value(x[0]); }
};

/// Inputs: the output's gradient, and the value by which the slope is known.
template <unary F>
struct slope_of {
    function_of<F> f;
    __device__ void operator()(float const (&x)[2], float (&y)[1]) const { y[0] = x[0] * f.derivative(x[1]); }
};

struct product_of {
    __device__ void operator()(float const (&x)[2], float (&y)[1]) const { y[0] = x[0] * x[1]; }
};

struct both {
    __device__ void operator()(float const (&x)[1], float (&y)[2]) const { y[0] = y[1] = x[0]; }
};

/// Inputs: the product's gradient, and both factors.
struct product_gradients {
    __device__ void operator()(float const (&x)[3], float (&y)[2]) const {
        y[0] = x[0] * x[2];
        y[1] = x[0] * x[1];
    }
};

template <class T, int Count>
struct copy_of {
    T* to;
    T const* from;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[2]) const {
        store_pack<Count>(to, at[0], load_pack<Count>(from, at[1]));
    }
};

/// As they are stored in `as`: f over arrays in the order of a walk.
template <outputs Where, class F, int In, int Out>
auto map_walk(cudaStream_t stream, walk<In + Out> const& w, stored as, F f, numbers const (&from)[In],
              target const (&to)[Out]) -> cudaError_t {
    return with_type(as, [&]<class T>() { return for_each<Where>(stream, w, mapped<T, T>(f, from, to)); });
}

template <class T>
auto copy_elements(cudaStream_t stream, walk<2> const& w, void* to, void const* from) -> cudaError_t {
    return for_each_pack<pack_width<T>>(stream, w, begins_pack(to) && begins_pack(from), [&]<int Count>() {
        return copy_of<T, Count>{static_cast<T*>(to), static_cast<T const*>(from)};
    });
}

/// Calls f(function_of<F>) for the F that is asked for.
template <class F>
auto with_function(unary what, float factor, F f) -> cudaError_t {
    switch (what) {
        case unary::relu:
            return f(function_of<unary::relu>{factor});
        case unary::gelu:
            return f(function_of<unary::gelu>{factor});
        case unary::sigmoid:
            return f(function_of<unary::sigmoid>{factor});
        case unary::tanh:
            return f(function_of<unary::tanh>{factor});
        case unary::silu:
            return f(function_of<unary::silu>{factor});
        case unary::scale:
            return f(function_of<unary::scale>{factor});
    }
    return cudaErrorInvalidValue;
}

}  // namespace

auto unary_forward(cudaStream_t stream, walk<2> const& w, unary what, float factor, numbers y, numbers x)
    -> cudaError_t {
    return with_function(what, factor, [&]<unary F>(function_of<F> f) {
        return map_walk<outputs::first>(stream, w, y.as, value_of<F>{f}, {x}, {{y}});
    });
}

auto unary_backward(cudaStream_t stream, walk<3> const& w, unary what, float factor, numbers dy, numbers known,
                    target dx) -> cudaError_t {
    if (what == unary::scale) known.at = nullptr;
    return with_function(what, factor, [&]<unary F>(function_of<F> f) {
        return map_walk<outputs::last>(stream, w, dy.as, slope_of<F>{f}, {dy, known}, {dx});
    });
}

auto add(cudaStream_t stream, walk<3> const& w, numbers y, numbers a, numbers b) -> cudaError_t {
    return map_walk<outputs::first>(stream, w, y.as, sum_of{}, {a, b}, {{y}});
}

auto multiply(cudaStream_t stream, walk<3> const& w, numbers y, numbers a, numbers b) -> cudaError_t {
    return map_walk<outputs::first>(stream, w, y.as, product_of{}, {a, b}, {{y}});
}

auto add_backward(cudaStream_t stream, walk<3> const& w, numbers dy, target da, target db) -> cudaError_t {
    return map_walk<outputs::last>(stream, w, dy.as, both{}, {dy}, {da, db});
}

auto multiply_backward(cudaStream_t stream, walk<5> const& w, numbers dy, numbers a, numbers b, target da, target db)
    -> cudaError_t {
    return map_walk<outputs::last>(stream, w, dy.as, product_gradients{}, {dy, a, b}, {da, db});
}

auto copy(cudaStream_t stream, walk<2> const& w, std::size_t element_size, void* to, void const* from) -> cudaError_t {
    switch (element_size) {
        case 1:
            return copy_elements<std::uint8_t>(stream, w, to, from);
        case 2:
            return copy_elements<std::uint16_t>(stream, w, to, from);
        case 4:
            return copy_elements<std::uint32_t>(stream, w, to, from);
        case 8:
            return copy_elements<std::uint64_t>(stream, w, to, from);
        default:
            return cudaErrorInvalidValue;
    }
}

auto copy(cudaStream_t stream, walk<2> const& w, target to, numbers from) -> cudaError_t {
    return map_walk<outputs::first>(stream, w, to.as, same{}, {from}, {to});
}

}  // namespace train_cuda::kernels
