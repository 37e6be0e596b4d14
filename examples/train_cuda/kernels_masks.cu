#include <cmath>

#include "map_support.cuh"

namespace train_cuda::kernels {

namespace {

template <class T, int Count>
struct dropout_step {
    dropout_rule rule;
    T* y;
    T const* x;
    std::uint8_t* mask;
    __device__ void operator()(std::int64_t i, std::int64_t const (&at)[3]) const {
        auto const values = load_pack<Count>(x, at[1]);
        pack<T, Count> made{};
        pack<std::uint8_t, Count> kept{};
        std::uint64_t const seed =
            rule.training ? pattern_word(pattern_word(rule.seed, *rule.iteration), rule.operation) : 0;
#pragma unroll
        for (int k = 0; k < Count; ++k) {
            auto const element = static_cast<std::uint64_t>(i * Count + k);
            bool const keeps = !rule.training || pattern_word(seed, element) >= rule.threshold;
            float const value = load(values.of, k);
            store(made.of, k, keeps ? (rule.training ? value * rule.factor : value) : 0.0F);
            kept.of[k] = keeps ? 1 : 0;
        }
        store_pack<Count>(y, at[0], made);
        if (mask != nullptr) store_pack<Count>(mask, at[2], kept);
    }
};

template <class T, int Count>
struct dropout_gradient {
    float factor;
    T const* dy;
    std::uint8_t const* mask;
    target_of<T> dx;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        auto const gradients = load_pack<Count>(dy, at[0]);
        auto const kept = load_pack<Count>(mask, at[1]);
        float made[Count];
#pragma unroll
        for (int k = 0; k < Count; ++k) made[k] = kept.of[k] != 0 ? load(gradients.of, k) * factor : 0.0F;
        put_pack(dx, at[2], made);
    }
};

template <class T, int Count>
struct masked_step {
    T* y;
    T const* x;
    std::uint8_t const* mask;
    __device__ void operator()(std::int64_t, std::int64_t const (&at)[3]) const {
        auto const values = load_pack<Count>(x, at[1]);
        auto const shown = load_pack<Count>(mask, at[2]);
        pack<T, Count> made{};
#pragma unroll
        for (int k = 0; k < Count; ++k) store(made.of, k, shown.of[k] != 0 ? load(values.of, k) : -INFINITY);
        store_pack<Count>(y, at[0], made);
    }
};

}  // namespace

auto dropout(cudaStream_t stream, walk<3> const& w, dropout_rule const& rule, numbers y, numbers x, std::uint8_t* mask)
    -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        bool const aligned = begins_pack(y.at) && begins_pack(x.at) && begins_pack(mask);
        return for_each_pack<pack_width<T>>(stream, w, aligned, [&]<int Count>() {
            return dropout_step<T, Count>{rule, array_of<T>(y), array_of<T>(x), mask};
        });
    });
}

auto dropout_backward(cudaStream_t stream, walk<3> const& w, float factor, numbers dy, std::uint8_t const* mask,
                      target dx) -> cudaError_t {
    return with_type(dy.as, [&]<class T>() {
        bool const aligned = begins_pack(dy.at) && begins_pack(mask) && begins_pack(dx.at);
        return for_each_pack<pack_width<T>>(stream, w, aligned, [&]<int Count>() {
            return dropout_gradient<T, Count>{factor, array_of<T>(dy), mask, target_of<T>(dx)};
        });
    });
}

auto masked(cudaStream_t stream, walk<3> const& w, numbers y, numbers x, std::uint8_t const* mask) -> cudaError_t {
    return with_type(y.as, [&]<class T>() {
        bool const aligned = begins_pack(y.at) && begins_pack(x.at) && begins_pack(mask);
        return for_each_pack<pack_width<T>>(stream, w, aligned, [&]<int Count>() {
            return masked_step<T, Count>{array_of<T>(y), array_of<T>(x), mask};
        });
    });
}

auto masked_backward(cudaStream_t stream, walk<3> const& w, numbers dy, std::uint8_t const* mask, target dx)
    -> cudaError_t {
    return dropout_backward(stream, w, 1.0F, dy, mask, dx);
}

}  // namespace train_cuda::kernels
