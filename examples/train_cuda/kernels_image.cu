#include <cmath>

#include "image_support.cuh"

namespace train_cuda::kernels {

namespace {

/// The two pixels between which an output pixel lies along one dimension.
struct between {
    std::int64_t low, high;
    float weight;  // of the higher

    __device__ between(std::int64_t out, std::int64_t extent, std::int64_t out_extent) {
        float const scale = static_cast<float>(extent) / static_cast<float>(out_extent);
        float const at = fmaxf((static_cast<float>(out) + 0.5F) * scale - 0.5F, 0.0F);
        low = min(static_cast<std::int64_t>(at), extent - 1);
        high = min(low + 1, extent - 1);
        weight = high == low ? 0.0F : at - static_cast<float>(low);
    }
    __device__ auto weight_of(std::int64_t in) const -> float {
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

struct resize_step {
    pooling p;
    float const* x;
    float* y;
    __device__ void operator()(std::int64_t i) const {
        auto const out = output_pixel(p, i);
        between const v(out.row, p.height, p.out_height);
        between const h(out.column, p.width, p.out_width);
        auto const at = [&](std::int64_t row, std::int64_t column) { return x[input_at(p, out, row, column)]; };
        float const top = (1.0F - h.weight) * at(v.low, h.low) + h.weight * at(v.low, h.high);
        float const bottom = (1.0F - h.weight) * at(v.high, h.low) + h.weight * at(v.high, h.high);
        y[i] = (1.0F - v.weight) * top + v.weight * bottom;
    }
};

struct resize_gradient {
    pooling p;
    float const* dy;
    target dx;
    __device__ void operator()(std::int64_t i) const {
        auto const in = input_pixel(p, i);
        neighbourhood const v(in.row, p.height, p.out_height);
        neighbourhood const h(in.column, p.width, p.out_width);
        float sum = 0;
        for (auto row = v.begin; row < v.end; ++row) {
            float const vertical = between(row, p.height, p.out_height).weight_of(in.row);
            if (vertical == 0.0F) continue;
            for (auto column = h.begin; column < h.end; ++column) {
                float const horizontal = between(column, p.width, p.out_width).weight_of(in.column);
                if (horizontal != 0.0F) sum += vertical * horizontal * dy[output_at(p, in, row, column)];
            }
        }
        put(dx, i, sum);
    }
};

/// What x is divided by, to the power beta. Neighbours of c are c - n / 2 .. c + (n - 1) / 2.
__device__ auto scale_at(response_norm const& n, float const* pixel, std::int64_t channel) -> float {
    float squares = 0;
    auto const begin = max(std::int64_t{0}, channel - n.neighbours / 2);
    auto const end = min(n.channels, channel + (n.neighbours - 1) / 2 + 1);
    for (auto c = begin; c < end; ++c) squares += pixel[c] * pixel[c];
    return n.k + n.alpha * squares;
}

struct response_norm_step {
    response_norm n;
    float const* x;
    float* y;
    __device__ void operator()(std::int64_t i) const {
        auto const channel = i % n.channels;
        y[i] = x[i] * powf(scale_at(n, x + (i - channel), channel), -n.beta);
    }
};

struct response_norm_gradient {
    response_norm n;
    float const* x;
    float const* dy;
    target dx;
    __device__ void operator()(std::int64_t i) const {
        auto const channel = i % n.channels;
        auto const* const pixel = x + (i - channel);
        // Those that have this one as a neighbour.
        auto const begin = max(std::int64_t{0}, channel - (n.neighbours - 1) / 2);
        auto const end = min(n.channels, channel + n.neighbours / 2 + 1);
        float sum = 0;
        for (auto c = begin; c < end; ++c)
            sum += dy[i - channel + c] * pixel[c] * powf(scale_at(n, pixel, c), -n.beta - 1.0F);
        float const own = dy[i] * powf(scale_at(n, pixel, channel), -n.beta);
        put(dx, i, own - 2.0F * n.alpha * n.beta * pixel[channel] * sum);
    }
};

struct end_step {
    std::int64_t channels, positions;
    float const* from;
    float* to;
    __device__ void operator()(std::int64_t i) const {
        auto const channel = i % channels;
        auto const position = i / channels % positions;
        auto const filter = i / channels / positions;
        to[i] = from[(filter * channels + channel) * positions + position];
    }
};

struct back_step {
    std::int64_t channels, positions;
    float const* from;
    target to;
    __device__ void operator()(std::int64_t i) const {
        auto const position = i % positions;
        auto const channel = i / positions % channels;
        auto const filter = i / positions / channels;
        put(to, i, from[(filter * positions + position) * channels + channel]);
    }
};

}  // namespace

auto resize(cudaStream_t stream, pooling const& p, float const* x, float* y) -> cudaError_t {
    return for_each(stream, output_count(p), resize_step{p, x, y});
}
auto resize_backward(cudaStream_t stream, pooling const& p, float const* dy, target dx) -> cudaError_t {
    return for_each(stream, input_count(p), resize_gradient{p, dy, dx});
}
auto local_response_norm(cudaStream_t stream, response_norm const& n, float const* x, float* y) -> cudaError_t {
    return for_each(stream, n.pixels * n.channels, response_norm_step{n, x, y});
}
auto local_response_norm_backward(cudaStream_t stream, response_norm const& n, float const* x, float const* dy,
                                  target dx) -> cudaError_t {
    return for_each(stream, n.pixels * n.channels, response_norm_gradient{n, x, dy, dx});
}
auto channels_to_end(cudaStream_t stream, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                     float const* from, float* to) -> cudaError_t {
    return for_each(stream, filters * channels * positions, end_step{channels, positions, from, to});
}
auto channels_from_end(cudaStream_t stream, std::int64_t filters, std::int64_t channels, std::int64_t positions,
                       float const* from, target to) -> cudaError_t {
    return for_each(stream, filters * channels * positions, back_step{channels, positions, from, to});
}

}  // namespace train_cuda::kernels
