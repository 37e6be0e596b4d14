#include <algorithm>
#include <vector>

#include "cudnn_types.hpp"

// Convolutions of cuDNN, as plain loops, all sums in one order.

namespace {

using cuda_stand_in::array;
using cuda_stand_in::number_at;

enum class result : std::uint8_t { image, gradient_of_image, gradient_of_filter };

/// Everything that a convolution has to do with; descriptors may end before it runs.
struct convolution {
    cudnnTensorStruct x, y;
    cudnnFilterStruct w;
    cudnnConvolutionStruct window;

    [[nodiscard]] auto fits() const -> bool {
        auto const extent = [this](int in, int size) {
            auto const reach = in + 2 * window.padding - ((size - 1) * window.dilation + 1);
            return reach < 0 ? 0 : reach / window.stride + 1;
        };
        return x.type == y.type && x.type == w.type && x.images == y.images && x.channels == w.channels &&
               y.channels == w.images && y.height == extent(x.height, w.height) && y.width == extent(x.width, w.width);
    }
    /// Calls f(pixel of y, tap, pixel of x) for whatever a tap of the window finds in the image.
    template <class F>
    void for_each_tap(F f) const {
        for (int n = 0; n < y.images; ++n)
            for (int p = 0; p < y.height; ++p)
                for (int q = 0; q < y.width; ++q)
                    for (int r = 0; r < w.height; ++r)
                        for (int s = 0; s < w.width; ++s) {
                            auto const row = p * window.stride - window.padding + r * window.dilation;
                            auto const column = q * window.stride - window.padding + s * window.dilation;
                            if (row < 0 || row >= x.height || column < 0 || column >= x.width) continue;
                            f((n * y.height + p) * y.width + q, r * w.width + s,
                              (n * x.height + row) * x.width + column);
                        }
    }
};

struct arrays {
    array x, y, w;
};

void compute(convolution const& c, result what, arrays const& at, float alpha, float beta) {
    auto const& to = what == result::image ? at.y : what == result::gradient_of_image ? at.x : at.w;
    auto const count = what == result::image               ? c.y.count()
                       : what == result::gradient_of_image ? c.x.count()
                                                           : c.w.count();
    if (what != result::gradient_of_image) at.x.read(0, c.x.count());
    if (what != result::image) at.y.read(0, c.y.count());
    if (what != result::gradient_of_filter) at.w.read(0, c.w.count());
    to.write(0, count, beta);
    auto const x = at.x.floats(c.x.count());
    auto const y = at.y.floats(c.y.count());
    auto const w = at.w.floats(c.w.count());
    std::vector<float> sum(static_cast<std::size_t>(count), 0.0F);
    auto const taps = c.w.height * c.w.width;
    c.for_each_tap([&](int out, int tap, int in) {
        for (int k = 0; k < c.y.channels; ++k)
            for (int i = 0; i < c.x.channels; ++i) {
                auto const of_y = static_cast<std::size_t>(out * c.y.channels + k);
                auto const of_x = static_cast<std::size_t>(in * c.x.channels + i);
                auto const of_w = static_cast<std::size_t>((k * taps + tap) * c.x.channels + i);
                if (what == result::image)
                    sum[of_y] += x[of_x] * w[of_w];
                else if (what == result::gradient_of_image)
                    sum[of_x] += y[of_y] * w[of_w];
                else
                    sum[of_w] += y[of_y] * x[of_x];
            }
    });
    for (std::int64_t i = 0; i < count; ++i) to.put(i, sum[static_cast<std::size_t>(i)], alpha, beta);
}

/// Bytes: some, that are no multiple of anything.
auto workspace_of(convolution const& c) -> std::size_t {
    return c.w.height * c.w.width == 1 ? 0 : static_cast<std::size_t>(100 + c.w.count() % 100);
}

auto enqueue_convolution(cudnnHandle_t h, char const* name, convolution const& c, result what, arrays const& at,
                         bool deterministic, void* workspace, std::size_t size, void const* alpha, void const* beta)
    -> cudnnStatus_t {
    if (!c.fits() || size < workspace_of(c)) return CUDNN_STATUS_BAD_PARAM;
    auto const error = cuda_stand_in::enqueue(h->stream, name, [=, one = number_at(alpha), old = number_at(beta)] {
        if (!deterministic) cuda_stand_in::fail("runs by an algorithm whose sums have no order");
        cuda_stand_in::use_workspace(workspace, size);
        compute(c, what, at, one, old);
    });
    return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
}

/// The fastest first: that one has no order.
template <class Result, class Algorithm>
auto list(int wanted, int* count, Result* results, std::initializer_list<Algorithm> algorithms, Algorithm ordered)
    -> cudnnStatus_t {
    *count = 0;
    for (auto const a : algorithms)
        if (*count < wanted)
            results[(*count)++] = {a, CUDNN_STATUS_SUCCESS,
                                   a == ordered ? CUDNN_DETERMINISTIC : CUDNN_NON_DETERMINISTIC};
    return CUDNN_STATUS_SUCCESS;
}

auto size_of(convolution const& c, std::size_t* size) -> cudnnStatus_t {
    if (!c.fits()) return CUDNN_STATUS_BAD_PARAM;
    *size = workspace_of(c);
    return CUDNN_STATUS_SUCCESS;
}

}  // namespace

auto cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,
                                            cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t, int wanted,
                                            int* count, cudnnConvolutionFwdAlgoPerf_t* results) -> cudnnStatus_t {
    auto const only = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
    return list(wanted, count, results, {only}, only);
}
auto cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,
                                                 cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t, int wanted,
                                                 int* count, cudnnConvolutionBwdDataAlgoPerf_t* results)
    -> cudnnStatus_t {
    return list(wanted, count, results, {CUDNN_CONVOLUTION_BWD_DATA_ALGO_0, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1},
                CUDNN_CONVOLUTION_BWD_DATA_ALGO_1);
}
auto cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
                                                   cudnnConvolutionDescriptor_t, cudnnFilterDescriptor_t, int wanted,
                                                   int* count, cudnnConvolutionBwdFilterAlgoPerf_t* results)
    -> cudnnStatus_t {
    return list(wanted, count, results, {CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1},
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1);
}

auto cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                                             cudnnConvolutionDescriptor_t d, cudnnTensorDescriptor_t y,
                                             cudnnConvolutionFwdAlgo_t, std::size_t* size) -> cudnnStatus_t {
    return size_of({*x, *y, *w, *d}, size);
}
auto cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
                                                  cudnnConvolutionDescriptor_t d, cudnnTensorDescriptor_t dx,
                                                  cudnnConvolutionBwdDataAlgo_t, std::size_t* size) -> cudnnStatus_t {
    return size_of({*dx, *dy, *w, *d}, size);
}
auto cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                    cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t d,
                                                    cudnnFilterDescriptor_t dw, cudnnConvolutionBwdFilterAlgo_t,
                                                    std::size_t* size) -> cudnnStatus_t {
    return size_of({*x, *dy, *dw, *d}, size);
}

auto cudnnConvolutionForward(cudnnHandle_t h, void const* alpha, cudnnTensorDescriptor_t x, void const* at_x,
                             cudnnFilterDescriptor_t w, void const* at_w, cudnnConvolutionDescriptor_t d,
                             cudnnConvolutionFwdAlgo_t, void* workspace, std::size_t size, void const* beta,
                             cudnnTensorDescriptor_t y, void* at_y) -> cudnnStatus_t {
    return enqueue_convolution(h, "cudnnConvolutionForward", {*x, *y, *w, *d}, result::image,
                               {x->array_at(at_x), y->array_at(at_y), w->array_at(at_w)}, true, workspace, size, alpha,
                               beta);
}
auto cudnnConvolutionBackwardData(cudnnHandle_t h, void const* alpha, cudnnFilterDescriptor_t w, void const* at_w,
                                  cudnnTensorDescriptor_t dy, void const* at_dy, cudnnConvolutionDescriptor_t d,
                                  cudnnConvolutionBwdDataAlgo_t algorithm, void* workspace, std::size_t size,
                                  void const* beta, cudnnTensorDescriptor_t dx, void* at_dx) -> cudnnStatus_t {
    return enqueue_convolution(h, "cudnnConvolutionBackwardData", {*dx, *dy, *w, *d}, result::gradient_of_image,
                               {dx->array_at(at_dx), dy->array_at(at_dy), w->array_at(at_w)},
                               algorithm == CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, workspace, size, alpha, beta);
}
auto cudnnConvolutionBackwardFilter(cudnnHandle_t h, void const* alpha, cudnnTensorDescriptor_t x, void const* at_x,
                                    cudnnTensorDescriptor_t dy, void const* at_dy, cudnnConvolutionDescriptor_t d,
                                    cudnnConvolutionBwdFilterAlgo_t algorithm, void* workspace, std::size_t size,
                                    void const* beta, cudnnFilterDescriptor_t dw, void* at_dw) -> cudnnStatus_t {
    return enqueue_convolution(h, "cudnnConvolutionBackwardFilter", {*x, *dy, *dw, *d}, result::gradient_of_filter,
                               {x->array_at(at_x), dy->array_at(at_dy), dw->array_at(at_dw)},
                               algorithm == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, workspace, size, alpha, beta);
}
