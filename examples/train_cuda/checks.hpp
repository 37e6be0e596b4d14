#ifndef REPEBBLE_TRAIN_CUDA_CHECKS_HPP
#define REPEBBLE_TRAIN_CUDA_CHECKS_HPP

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace train_cuda {

/// CUDA, cuDNN or cuBLAS could not do what it was asked for. The message names the call and the operation.
struct cuda_failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace detail {
[[nodiscard]] inline auto text_of(cudaError_t status) -> char const* { return cudaGetErrorString(status); }
[[nodiscard]] inline auto text_of(cudnnStatus_t status) -> char const* { return cudnnGetErrorString(status); }
[[nodiscard]] inline auto text_of(cublasStatus_t status) -> char const* { return cublasGetStatusString(status); }
}  // namespace detail

/// Throws cuda_failure unless the status, of whichever of the three libraries, is success. CUDA's last error is then
/// forgotten: whoever asks for it next would find this one.
template <class Status>
void check(Status status, std::string_view call, std::string_view operation = {}) {
    if (status == Status{}) return;
    static_cast<void>(cudaGetLastError());
    std::string message(operation);
    if (!message.empty()) message += ": ";
    throw cuda_failure(message.append(call).append(" failed: ").append(detail::text_of(status)));
}
static_assert(cudaSuccess == cudaError_t{} && CUDNN_STATUS_SUCCESS == cudnnStatus_t{} &&
              CUBLAS_STATUS_SUCCESS == cublasStatus_t{});

}  // namespace train_cuda

#endif
