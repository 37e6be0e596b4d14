#include <cmath>

#include "image_support.cuh"

namespace train_cuda::kernels {

namespace {

/// The two pixels between which an output pixel lies along one dimension.
template <class Index>
struct between {
    Index low, high;
    float weight;  // of the higher

    __device__ between(Index out, Index extent, Index out_extent) {
        float const scale = static_cast<float>(extent) / static_cast<float>(out_extent);
        float const at = fmaxf((static_cast<float>(out) + 0.5F) * scale - 0.5F, 0.0F);
        low = min(static_cast<Index>(at), extent - 1);
        high = min(low + 1, extent - 1);
        weight = high == low ? 0.0F : at - static_cast<float>(low);
    }
    __device__ auto weight_of(Index in) const -> float {
        return (in == low ? 1.0F - weight : 0.0F) + (in == high && high != low ? weight : 0.0F);
    }
};

/// Outputs that may lie beside an input pixel: one more on each side than should be.
struct neighbourhood {
    std::int64_t begin, end;

    __device__ neighbourhood(std::int64_t in, std::int64_t extent, std::int64_t out_extent) {
        // out + 1/2 is between (in - 1/2) and (in + 3/2) times out_extent / extent.
        begin = in == 0 ? 0 : max(std::int64_t{0}, (2 * in - 1) * out_extent / (2 * extent) - 2);
        end = in == extent - 1 ? out_extent : min(out_extent, (2 * in + 3) * out_extent / (2 * extent) + 3);
    }
};

/// Not in packs: the compiler would fuse other products with the sums, and make other bits of them.
template <class T>
struct resize_step {
    images<std::int64_t, 1> p;
    T const* x;
    T* y;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        between const v(out.row, p.height, p.out_height);
        between const h(out.column, p.width, p.out_width);
        auto const at = [&](std::int64_t row, std::int64_t column) { return load(x, input_at(p, out, row, column)); };
        float const top = (1.0F - h.weight) * at(v.low, h.low) + h.weight * at(v.low, h.high);
        float const bottom = (1.0F - h.weight) * at(v.high, h.low) + h.weight * at(v.high, h.high);
        store(y, i, (1.0F - v.weight) * top + v.weight * bottom);
    }
};

template <class T, class Images>
struct resize_gradient {
    static constexpr int count = Images::count;
    using index = typename Images::index;
    Images p;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        neighbourhood const v(in.row, p.height, p.out_height);
        neighbourhood const h(in.column, p.width, p.out_width);
        float sum[count]{};
        for (auto row = static_cast<index>(v.begin); row < v.end; ++row) {
            float const vertical = between(row, p.height, p.out_height).weight_of(in.row);
            if (vertical == 0.0F) continue;
            for (auto column = static_cast<index>(h.begin); column < h.end; ++column) {
                float const horizontal = between(column, p.width, p.out_width).weight_of(in.column);
                if (horizontal == 0.0F) continue;
                auto const values = load_pack<count>(dy, output_at(p, in, row, column));
#pragma unroll
                for (int k = 0; k < count; ++k) sum[k] += vertical * horizontal * load(values.of, k);
            }
        }
        put_pack(dx, i * Images::count, sum);
    }
};

/// What x is divided by, to the power beta. Neighbours of c are c - n / 2 .. c + (n - 1) / 2.
template <class T>
__device__ auto scale_at(response_norm const& n, T const* pixel, std::int64_t channel) -> float {
    float squares = 0;
    auto const begin = max(std::int64_t{0}, channel - n.neighbours / 2);
    auto const end = min(n.channels, channel + (n.neighbours - 1) / 2 + 1);
    for (auto c = begin; c < end; ++c) squares += load(pixel, c) * load(pixel, c);
    return n.k + n.alpha * squares;
}

template <class T>
struct response_norm_step {
    response_norm n;
    T const* x;
    T* y;
    __device__ void operator()(std::int64_t i) const {
        auto const channel = i % n.channels;
        store(y, i, load(x, i) * powf(scale_at(n, x + (i - channel), channel), -n.beta));
    }
};

template <class T>
struct response_norm_gradient {
    response_norm n;
    T const* x;
    T const* dy;
    target_of<T> dx;
    __device__ void operator()(std::int64_t i) const {
        auto const channel = i % n.channels;
        auto const* const pixel = x + (i - channel);
        // Those that have this one as a neighbour.
        auto const begin = max(std::int64_t{0}, channel - (n.neighbours - 1) / 2);
        auto const end = min(n.channels, channel + n.neighbours / 2 + 1);
        float sum = 0;
        for (auto c = begin; c < end; ++c)
            sum += load(dy, i - channel + c) * load(pixel, c) * powf(scale_at(n, pixel, c), -n.beta - 1.0F);
        float const own = load(dy, i) * powf(scale_at(n, pixel, channel), -n.beta);
        put(dx, i, own - 2.0F * n.alpha * n.beta * load(pixel, channel) * sum);
    }
};

template <class T>
struct end_step {
    std::int64_t channels, positions;
    float const* from;
    T* to;
    __device__ void operator()(std::int64_t i) const {
        auto const channel = i % channels;
        auto const position = i / channels % positions;
        auto const filter = i / channels / positions;
        store(to, i, from[(filter * channels + channel) * positions + position]);
    }
};

template <class T>
struct back_step {
    std::int64_t channels, positions;
    T const* from;
    target_of<float> to;
    __device__ void operator()(std::int64_t i) const {
        auto const position = i % positions;
        auto const channel = i / positions % channels;
        auto const filter = i / positions / channels;
        put(to, i, load(from, (filter * positions + position) * channels + channel));
    }
};

}  // namespace

auto resize(cudaStream_t stream, pooling const& p, numbers x, numbers y) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, output_count(p),
                        resize_step<T>{images<std::int64_t, 1>(p), array_of<T>(x), array_of<T>(y)});
    });
}
auto resize_backward(cudaStream_t stream, pooling const& p, numbers dy, target dx) -> cudaError_t {
    return for_each_input<resize_gradient>(stream, p, dy, dx);
}
auto local_response_norm(cudaStream_t stream, response_norm const& n, numbers x, numbers y) -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, n.pixels * n.channels, response_norm_step<T>{n, array_of<T>(x), array_of<T>(y)});
    });
}
auto local_response_norm_backward(cudaStream_t stream, response_norm const& n, numbers x, numbers dy, target dx)
    -> cudaError_t {
    return with_type(x.as, [&]<class T>() {
        return for_each(stream, n.pixels * n.channels,
                        response_norm_gradient<T>{n, array_of<T>(x), array_of<T>(dy), target_of<T>(dx)});
    });
}
auto channels_to_end(cudaStream_t stream, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                     float const* from, numbers to) -> cudaError_t {
    return with_type(to.as, [&]<class T>() {
        return for_each(stream, filters * channels * positions,
                        end_step<T>{channels, positions, from, array_of<T>(to)});
    });
}
auto channels_from_end(cudaStream_t stream, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                       numbers from, target to) -> cudaError_t {
    return with_type(from.as, [&]<class T>() {
        return for_each(stream, filters * channels * positions,
                        back_step<T>{channels, positions, array_of<T>(from), target_of<float>(to)});
    });
}

}  // namespace train_cuda::kernels
