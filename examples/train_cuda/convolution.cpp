#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "families.hpp"

// A transposed convolution is a convolution the other way round: its input is what that would write, its gradient
// what that would read. `large` is the image over which the filter moves, `small` has a pixel for each position.
namespace train_cuda {

namespace {

enum class pass : std::uint8_t { forward, data, filter };

struct setup {
    tensor_descriptor large{}, small{};
    filter_descriptor filter{};
    convolution_descriptor window{};
    std::array<int, 13> key{};  // all that the choice of an algorithm depends on; the pass comes last
    std::int64_t filters = 0, channels = 0, positions = 0;
    kernels::stored as = kernels::stored::float32;  // both images, and so the filter and its gradient

    /// Whether a filter's bytes are others with its channels at the end.
    [[nodiscard]] auto reorders() const -> bool { return channels > 1 && positions > 1; }
};

[[nodiscard]] auto setup_of(recipe const& r, networks::convolution const& k, networks::tensor const& large,
                            networks::tensor const& small) -> std::shared_ptr<setup const> {
    auto const s = std::make_shared<setup>();
    s->as = stored_as(large.type);
    auto const type = s->as == kernels::stored::bfloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    auto const image = [&](tensor_descriptor const& d, networks::tensor const& t) {
        if (constexpr auto most = std::numeric_limits<int>::max(); t.volume() > most)
            r.refuse("has an image of " + std::to_string(t.volume()) + " elements, and cuDNN takes " +
                     std::to_string(most) + " at most");
        check(cudnnSetTensor4dDescriptor(d.get(), CUDNN_TENSOR_NHWC, type, r.to_int(t.shape[0]), r.to_int(t.shape[1]),
                                         r.to_int(t.shape[2]), r.to_int(t.shape[3])),
              "cudnnSetTensor4dDescriptor", r.operation());
    };
    image(s->large, large);
    image(s->small, small);
    auto const [size, step, rim, apart] = std::array{r.to_int(k.window.kernel), r.to_int(k.window.stride),
                                                     r.to_int(k.window.padding), r.to_int(k.window.dilation)};
    s->filters = small.shape[1];
    s->channels = large.shape[1];
    s->positions = k.window.kernel * k.window.kernel;
    check(cudnnSetFilter4dDescriptor(s->filter.get(), type, CUDNN_TENSOR_NHWC, r.to_int(s->filters),
                                     r.to_int(s->channels), size, size),
          "cudnnSetFilter4dDescriptor", r.operation());
    check(cudnnSetConvolution2dDescriptor(s->window.get(), rim, rim, step, step, apart, apart, CUDNN_CROSS_CORRELATION,
                                          CUDNN_DATA_FLOAT),
          "cudnnSetConvolution2dDescriptor", r.operation());
    auto const of_floats = r.device().options.math == precision::float32 ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
    check(cudnnSetConvolutionMathType(s->window.get(),
                                      s->as == kernels::stored::float32 ? of_floats : CUDNN_TENSOR_OP_MATH),
          "cudnnSetConvolutionMathType", r.operation());
    auto const extents = [&](networks::tensor const& t, std::size_t i) { return r.to_int(t.shape[i]); };
    s->key = {extents(large, 0),
              extents(large, 1),
              extents(large, 2),
              extents(large, 3),
              extents(small, 1),
              extents(small, 2),
              extents(small, 3),
              size,
              step,
              rim,
              apart,
              static_cast<int>(s->as),
              0};
    return s;
}

/// The first deterministic algorithm of cuDNN's list whose workspace is not too large; of those that are, the least;
/// where the list has none, `usual`, which is deterministic, too. `list(n, count, results)` and
/// `workspace(algorithm, size)` are cuDNN's calls with everything else filled in.
template <class Result, class Algorithm, class List, class Workspace>
[[nodiscard]] auto choose(recipe const& r, Algorithm usual, List list, Workspace workspace) -> chosen_algorithm {
    std::array<Result, 16> results{};
    int count = 0;
    check(list(static_cast<int>(results.size()), &count, results.data()), "asking cuDNN for algorithms", r.operation());
    auto const limit = static_cast<std::size_t>(r.device().options.convolution_workspace);
    bool found = false;
    chosen_algorithm best;
    for (int i = 0; i < count; ++i) {
        auto const& result = results[static_cast<std::size_t>(i)];
        if (result.status != CUDNN_STATUS_SUCCESS || result.determinism != CUDNN_DETERMINISTIC) continue;
        std::size_t size = 0;
        if (workspace(result.algo, &size) != CUDNN_STATUS_SUCCESS) continue;
        if (!found || size < best.workspace) best = {static_cast<int>(result.algo), size};
        found = true;
        if (size <= limit) return {static_cast<int>(result.algo), size};
    }
    if (std::size_t size = 0; !found && workspace(usual, &size) == CUDNN_STATUS_SUCCESS)
        return {static_cast<int>(usual), size};
    if (!found) r.refuse("has no deterministic algorithm for a convolution of this shape");
    return best;
}

[[nodiscard]] auto algorithm_of(recipe const& r, setup const& s, pass what) -> chosen_algorithm {
    auto key = s.key;
    key.back() = static_cast<int>(what);
    auto& known = r.device().algorithms;
    if (auto const at = known.find(key); at != known.end()) return at->second;
    auto* const h = r.device().dnn.get();
    auto* const large = s.large.get();
    auto* const small = s.small.get();
    auto* const filter = s.filter.get();
    auto* const window = s.window.get();
    chosen_algorithm chosen;
    switch (what) {
        case pass::forward:
            chosen = choose<cudnnConvolutionFwdAlgoPerf_t>(
                r, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
                [&](int n, int* count, auto* results) {
                    return cudnnGetConvolutionForwardAlgorithm_v7(h, large, filter, window, small, n, count, results);
                },
                [&](auto algorithm, std::size_t* size) {
                    return cudnnGetConvolutionForwardWorkspaceSize(h, large, filter, window, small, algorithm, size);
                });
            break;
        case pass::data:
            chosen = choose<cudnnConvolutionBwdDataAlgoPerf_t>(
                r, CUDNN_CONVOLUTION_BWD_DATA_ALGO_1,
                [&](int n, int* count, auto* results) {
                    return cudnnGetConvolutionBackwardDataAlgorithm_v7(h, filter, small, window, large, n, count,
                                                                       results);
                },
                [&](auto algorithm, std::size_t* size) {
                    return cudnnGetConvolutionBackwardDataWorkspaceSize(h, filter, small, window, large, algorithm,
                                                                        size);
                });
            break;
        case pass::filter:
            chosen = choose<cudnnConvolutionBwdFilterAlgoPerf_t>(
                r, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1,
                [&](int n, int* count, auto* results) {
                    return cudnnGetConvolutionBackwardFilterAlgorithm_v7(h, large, small, window, filter, n, count,
                                                                         results);
                },
                [&](auto algorithm, std::size_t* size) {
                    return cudnnGetConvolutionBackwardFilterWorkspaceSize(h, large, small, window, filter, algorithm,
                                                                          size);
                });
            break;
    }
    known.emplace(key, chosen);
    return chosen;
}

using shared_setup = std::shared_ptr<setup const>;

/// The filter as cuDNN takes it: channels at the end, and stored as the images are. Copies of bfloat16 lie so.
template <class Call>
[[nodiscard]] auto filter_of(recipe& r, setup const& s, Call const& call) -> kernels::numbers {
    if (!s.reorders() || s.as != kernels::stored::float32) return factor_of(r, call, 0, s.as);
    auto const to = r.take_numbers(s.filters * s.channels * s.positions, s.as);
    r.add("channels_to_end",
          [=, stream = r.stream(), k = s.filters, c = s.channels, n = s.positions, weight = parameter_of(call, 0)] {
              return kernels::channels_to_end(stream, k, c, n, weight, to);
          });
    return to;
}

void to_small(recipe& r, shared_setup const& s, kernels::numbers filter, kernels::numbers large,
              kernels::target small) {
    auto const chosen = algorithm_of(r, *s, pass::forward);
    auto* const workspace = r.take(static_cast<repebble::bytes>(chosen.workspace));
    r.add("cudnnConvolutionForward", [=, h = r.device().dnn.get()] {
        float const one = 1;
        float const old = small.add ? 1 : 0;
        return cudnnConvolutionForward(h, &one, s->large.get(), large.at, s->filter.get(), filter.at, s->window.get(),
                                       static_cast<cudnnConvolutionFwdAlgo_t>(chosen.algorithm), workspace,
                                       chosen.workspace, &old, s->small.get(), small.at);
    });
}

void to_large(recipe& r, shared_setup const& s, kernels::numbers filter, kernels::numbers small,
              kernels::target large) {
    auto const chosen = algorithm_of(r, *s, pass::data);
    auto* const workspace = r.take(static_cast<repebble::bytes>(chosen.workspace));
    r.add("cudnnConvolutionBackwardData", [=, h = r.device().dnn.get()] {
        float const one = 1;
        float const old = large.add ? 1 : 0;
        return cudnnConvolutionBackwardData(h, &one, s->filter.get(), filter.at, s->small.get(), small.at,
                                            s->window.get(),
                                            static_cast<cudnnConvolutionBwdDataAlgo_t>(chosen.algorithm), workspace,
                                            chosen.workspace, &old, s->large.get(), large.at);
    });
}

void to_filter(recipe& r, shared_setup const& s, kernels::numbers large, kernels::numbers small, kernels::target to) {
    auto const chosen = algorithm_of(r, *s, pass::filter);
    auto* const workspace = r.take(static_cast<repebble::bytes>(chosen.workspace));
    // cuDNN stores the gradient as it does the filter: as the images are.
    bool const moves = s->reorders() || s->as != to.as;
    auto const direct =
        moves ? kernels::target{r.take_numbers(s->filters * s->channels * s->positions, s->as), false} : to;
    r.add("cudnnConvolutionBackwardFilter", [=, h = r.device().dnn.get()] {
        float const one = 1;
        float const old = direct.add ? 1 : 0;
        return cudnnConvolutionBackwardFilter(h, &one, s->large.get(), large.at, s->small.get(), small.at,
                                              s->window.get(),
                                              static_cast<cudnnConvolutionBwdFilterAlgo_t>(chosen.algorithm), workspace,
                                              chosen.workspace, &old, s->filter.get(), direct.at);
    });
    if (moves)
        r.add("channels_from_end", [=, stream = r.stream()] {
            return kernels::channels_from_end(stream, s->filters, s->channels, s->positions, direct, to);
        });
}

}  // namespace

void forward(recipe& r, networks::convolution const& k, forward_call const& c) {
    auto const& in = r.present(c.inputs.at(0), "its input").layout.tensor;
    auto const& out = r.present(c.outputs.at(0), "its output").layout.tensor;
    auto const s = k.transposed ? setup_of(r, k, out, in) : setup_of(r, k, in, out);
    auto const x = r.read(c.inputs[0], training::channels_last(in));
    auto const y = r.write(c.outputs[0], training::channels_last(out));
    auto const filter = filter_of(r, *s, c);
    if (k.transposed)
        to_large(r, s, filter, x, {y, false});
    else
        to_small(r, s, filter, x, {y, false});
    if (k.bias)
        r.add("add_to_rows",
              [=, stream = r.stream(), rows = out.volume() / k.channels, columns = k.channels,
               bias = parameter_of(c, 1)] { return kernels::add_to_rows(stream, rows, columns, bias, y); });
}

void backward(recipe& r, networks::convolution const& k, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    auto const weight_gradient = parameter_target(c, 0);
    auto const bias_gradient = k.bias ? parameter_target(c, 1) : kernels::target{};
    if (!dx.where.is_there() && weight_gradient.at == nullptr && bias_gradient.at == nullptr) return;
    auto const& out = r.present(c.output_gradients.at(0), "the gradient of its output").layout.tensor;
    auto const dy = r.read(c.output_gradients[0], training::channels_last(out));
    if (bias_gradient.at != nullptr) sum_columns(r, out.volume() / k.channels, k.channels, dy, bias_gradient);
    if (!dx.where.is_there() && weight_gradient.at == nullptr) return;

    auto const& in = (dx.where.is_there() ? dx.where : r.present(c.inputs.at(0), "its input")).layout.tensor;
    auto const s = k.transposed ? setup_of(r, k, out, in) : setup_of(r, k, in, out);
    if (weight_gradient.at != nullptr) {
        auto const x = r.read(r.present(c.inputs.at(0), "its input"), training::channels_last(in));
        if (k.transposed)
            to_filter(r, s, dy, x, weight_gradient);
        else
            to_filter(r, s, x, dy, weight_gradient);
    }
    if (!dx.where.is_there()) return;
    auto const filter = filter_of(r, *s, c);
    auto const to = r.write(dx, training::channels_last(in));
    if (k.transposed)
        to_small(r, s, filter, dy, to);
    else
        to_large(r, s, filter, dy, to);
}

}  // namespace train_cuda
