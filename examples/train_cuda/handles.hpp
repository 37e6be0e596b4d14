#ifndef REPEBBLE_TRAIN_CUDA_HANDLES_HPP
#define REPEBBLE_TRAIN_CUDA_HANDLES_HPP

#include <memory>
#include <type_traits>

#include "checks.hpp"

namespace train_cuda {

namespace detail {
template <auto Destroy>
struct destroyer {
    template <class Handle>
    void operator()(Handle h) const noexcept {
        static_cast<void>(Destroy(h));
    }
};
template <class Handle, auto Destroy>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, destroyer<Destroy>>;
}  // namespace detail

/// What a library made and wants back: `Create(Handle*)`, `Destroy(Handle)`.
template <class Handle, auto Create, auto Destroy>
class handle {
  public:
    handle() {
        Handle made{};
        check(Create(&made), "creating a handle or descriptor");
        held_.reset(made);
    }
    [[nodiscard]] auto get() const noexcept -> Handle { return held_.get(); }

  private:
    detail::owned<Handle, Destroy> held_{};
};

namespace detail {
inline auto create_stream(cudaStream_t* s) -> cudaError_t {
    return cudaStreamCreateWithFlags(s, cudaStreamNonBlocking);
}
inline auto create_event(cudaEvent_t* e) -> cudaError_t { return cudaEventCreateWithFlags(e, cudaEventDefault); }
inline auto create_signal(cudaEvent_t* e) -> cudaError_t { return cudaEventCreateWithFlags(e, cudaEventDisableTiming); }
}  // namespace detail

using stream_handle = handle<cudaStream_t, &detail::create_stream, &cudaStreamDestroy>;
using event_handle = handle<cudaEvent_t, &detail::create_event, &cudaEventDestroy>;
using signal_handle = handle<cudaEvent_t, &detail::create_signal, &cudaEventDestroy>;  // has no time
using cublas_handle = handle<cublasHandle_t, &cublasCreate, &cublasDestroy>;
using cudnn_handle = handle<cudnnHandle_t, &cudnnCreate, &cudnnDestroy>;
using tensor_descriptor = handle<cudnnTensorDescriptor_t, &cudnnCreateTensorDescriptor, &cudnnDestroyTensorDescriptor>;
using filter_descriptor = handle<cudnnFilterDescriptor_t, &cudnnCreateFilterDescriptor, &cudnnDestroyFilterDescriptor>;
using convolution_descriptor =
    handle<cudnnConvolutionDescriptor_t, &cudnnCreateConvolutionDescriptor, &cudnnDestroyConvolutionDescriptor>;

/// A graph of launches, made ready to be launched as one.
class executable_graph {
  public:
    /// The graph itself is not needed any more.
    explicit executable_graph(cudaGraph_t graph) {
        cudaGraphExec_t made{};
        check(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
        held_.reset(made);
    }
    [[nodiscard]] auto get() const noexcept -> cudaGraphExec_t { return held_.get(); }

  private:
    detail::owned<cudaGraphExec_t, &cudaGraphExecDestroy> held_{};
};

}  // namespace train_cuda

#endif
