#include <cmath>

#include "kernel_support.cuh"

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
        if constexpr (F == unary::scale) return factor * x;
    }
    /// By the output, but of gelu by the input.
    __device__ auto derivative(float known) const -> float {
        if constexpr (F == unary::relu) return known > 0 ? 1.0F : 0.0F;
        if constexpr (F == unary::gelu) {
            float const below = 0.5F * (1.0F + erff(known * 0.70710678118654752F));
            return below + known * 0.39894228040143268F * expf(-0.5F * known * known);
        }
        if constexpr (F == unary::sigmoid) return known * (1.0F - known);
        if constexpr (F == unary::tanh) return 1.0F - known * known;
        if constexpr (F == unary::scale) return factor;
    }
};

template <unary F, class T>
struct forward_of {
    function_of<F> f;
    T* y;
    T const* x;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[2]) const {
        store(y, at[0], f.value(load(x, at[1])));
    }
};

template <unary F, class T>
struct backward_of {
    function_of<F> f;
    T const* dy;
    T const* known;
    target_of<T> dx;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        float const slope = f.derivative(F == unary::scale ? 0.0F : load(known, at[1]));
        put(dx, at[2], load(dy, at[0]) * slope);
    }
};

template <class Combine, class T>
struct binary_of {
    T* y;
    T const* a;
    T const* b;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        store(y, at[0], Combine{}(load(a, at[1]), load(b, at[2])));
    }
};

struct times {
    __device__ auto operator()(float a, float b) const -> float { return a * b; }
};

// The gradient of the output is read before anything is written: an input's may lie over it. Those of both inputs may
// be one and the same, the second added.
template <class T>
struct add_gradients {
    T const* dy;
    target_of<T> da, db;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        float const g = dy == nullptr ? 1.0F : load(dy, at[0]);
        put(da, at[1], g);
        put(db, at[2], g);
    }
};

template <class T>
struct multiply_gradients {
    T const* dy;
    T const* a;
    T const* b;
    target_of<T> da, db;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[5]) const {
        float const g = load(dy, at[0]);
        float const first = load(a, at[1]);
        float const second = load(b, at[2]);
        put(da, at[3], g * second);
        put(db, at[4], g * first);
    }
};

template <class T>
struct copy_of {
    T* to;
    T const* from;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[2]) const { to[at[0]] = from[at[1]]; }
};

template <class T>
struct add_copy {
    target_of<T> to;
    T const* from;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[2]) const { put(to, at[0], load(from, at[1])); }
};

template <class T>
auto copy_elements(cudaStream_t stream, walk<2> const& w, void* to, void const* from) -> cudaError_t {
    return for_each(stream, w, copy_of<T>{static_cast<T*>(to), static_cast<T const*>(from)});
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
        case unary::scale:
            return f(function_of<unary::scale>{factor});
    }
    return cudaErrorInvalidValue;
}

}  // namespace

auto unary_forward(cudaStream_t stream, walk<2> const& w, unary what, float factor, numbers y, numbers x)
    -> cudaError_t {
    return with_function(what, factor, [&]<unary F>(function_of<F> f) {
        return with_type(y.as, [&]<class T>() {
            return for_each(stream, w, forward_of<F, T>{f, array_of<T>(y), array_of<T>(x)});
        });
    });
}

auto unary_backward(cudaStream_t stream, walk<3> const& w, unary what, float factor, numbers dy, numbers known,
                    target dx) -> cudaError_t {
    return with_function(what, factor, [&]<unary F>(function_of<F> f) {
        return with_type(dy.as, [&]<class T>() {
            return for_each(stream, w, backward_of<F, T>{f, array_of<T>(dy), array_of<T>(known), target_of<T>(dx)});
        });
    });
}

auto add(cudaStream_t stream, walk<3> const& w, numbers y, numbers a, numbers b) -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return for_each(stream, w, binary_of<plus, T>{array_of<T>(y), array_of<T>(a), array_of<T>(b)});
    });
}

auto multiply(cudaStream_t stream, walk<3> const& w, numbers y, numbers a, numbers b) -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        return for_each(stream, w, binary_of<times, T>{array_of<T>(y), array_of<T>(a), array_of<T>(b)});
    });
}

auto add_backward(cudaStream_t stream, walk<3> const& w, numbers dy, target da, target db) -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        return for_each(stream, w, add_gradients<T>{array_of<T>(dy), target_of<T>(da), target_of<T>(db)});
    });
}

auto multiply_backward(cudaStream_t stream, walk<5> const& w, numbers dy, numbers a, numbers b, target da, target db)
    -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        return for_each(
            stream, w,
            multiply_gradients<T>{array_of<T>(dy), array_of<T>(a), array_of<T>(b), target_of<T>(da), target_of<T>(db)});
    });
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
    return with_type(to.as, [&]<class T>() {
        return for_each(stream, w, add_copy<T>{target_of<T>(to), array_of<T>(from)});
    });
}

}  // namespace train_cuda::kernels
