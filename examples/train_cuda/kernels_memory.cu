#include "map_support.cuh"

namespace train_cuda::kernels {

namespace {

/// Inputs: parameter, gradient and velocity. Outputs: velocity and parameter.
struct sgd_step {
    float rate, momentum, decay;
    __device__ void operator()(float const (&x)[3], float (&y)[2]) const {
        y[0] = momentum * x[2] + x[1] + decay * x[0];
        y[1] = x[0] - rate * y[0];
    }
};

struct set_step {
    std::uint64_t* at;
    std::uint64_t value;
    __device__ void operator()(std::int64_t) const { *at = value; }
};

struct fill_step {
    unsigned char* at;
    std::int64_t size;
    std::uint64_t seed;
    bool aligned;
    __device__ void operator()(std::int64_t i) const {
        auto const word = pattern_word(seed, static_cast<std::uint64_t>(i));
        auto const left = size - i * 8;
        if (aligned && left >= 8) {
            reinterpret_cast<std::uint64_t*>(at)[i] = word;
            return;
        }
        for (int k = 0; k < 8 && k < left; ++k) at[i * 8 + k] = static_cast<unsigned char>(word >> (8 * k));
    }
};

struct change_step {
    unsigned char const* at;
    std::int64_t size;
    std::uint64_t seed;
    unsigned long long* result;
    // From the end: whoever comes later mostly finds that a higher change is known.
    __device__ void operator()(std::int64_t from_end) const {
        auto const i = ceil_divide(size, 8) - 1 - from_end;
        if (*static_cast<unsigned long long const volatile*>(result) >= static_cast<unsigned long long>(i * 8 + 8))
            return;
        auto const word = pattern_word(seed, static_cast<std::uint64_t>(i));
        for (int k = 7; k >= 0; --k) {
            auto const position = i * 8 + k;
            if (position >= size || at[position] == static_cast<unsigned char>(word >> (8 * k))) continue;
            atomicMax(result, static_cast<unsigned long long>(position + 1));
            return;
        }
    }
};

}  // namespace

auto accumulate(cudaStream_t stream, std::int64_t count, numbers sum, numbers first, numbers second) -> cudaError_t {
    return with_type(sum.as, [&]<class T>() {
        return for_each(stream, count, mapped<T, T>(sum_of{}, {first, second}, {{sum}}));
    });
}

auto to_bfloat16(cudaStream_t stream, std::int64_t count, void* to, float const* from) -> cudaError_t {
    map<float, __nv_bfloat16, 1, 1, same> const m{{}, {from}, {{static_cast<__nv_bfloat16*>(to), false}}};
    return for_each(stream, count, m);
}

auto sgd(cudaStream_t stream, std::int64_t count, float* parameter, float const* gradient, float* velocity, float rate,
         float momentum, float decay) -> cudaError_t {
    map<float, float, 3, 2, sgd_step> const m{
        {rate, momentum, decay}, {parameter, gradient, velocity}, {{velocity, false}, {parameter, false}}};
    return for_each(stream, count, m);
}

auto set_word(cudaStream_t stream, std::uint64_t* at, std::uint64_t value) -> cudaError_t {
    return for_each(stream, 1, set_step{at, value});
}

auto fill(cudaStream_t stream, void* at, std::int64_t size, std::uint64_t seed) -> cudaError_t {
    bool const aligned = reinterpret_cast<std::uintptr_t>(at) % 8 == 0;
    return for_each(stream, ceil_divide(size, 8), fill_step{static_cast<unsigned char*>(at), size, seed, aligned});
}

auto highest_change(cudaStream_t stream, void const* at, std::int64_t size, std::uint64_t seed,
                    unsigned long long* result) -> cudaError_t {
    return for_each(stream, ceil_divide(size, 8),
                    change_step{static_cast<unsigned char const*>(at), size, seed, result});
}

}  // namespace train_cuda::kernels
