#ifndef REPEBBLE_TRAIN_CUDA_DEVICE_CONTEXT_HPP
#define REPEBBLE_TRAIN_CUDA_DEVICE_CONTEXT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include <repebble/graph/quantity.hpp>

#include "handles.hpp"
#include "memory.hpp"

namespace train_cuda {

/// float32: every product in full precision. tf32: tensor cores, which round factors to 10 bits of mantissa.
enum class precision : std::uint8_t { float32, tf32 };

/// What a device may be like.
struct device_options {
    precision math = precision::float32;
    std::uint64_t seed = 0;                                ///< of dropout
    repebble::bytes convolution_workspace = 256LL << 20U;  ///< most that the workspace of a convolution may take
    repebble::bytes matrix_workspace = 8LL << 20U;         ///< what every product of matrices gets
    int device = 0;                                        ///< which GPU
};

/// How a convolution is computed, and the workspace that takes.
struct chosen_algorithm {
    int algorithm = 0;
    std::size_t workspace = 0;
};

/// What all operations of a device share: one stream, the handles of the libraries, and what was chosen once.
struct device_context {
    explicit device_context(device_options const& wanted) : options(wanted) {
        check(cublasSetStream(blas.get(), stream.get()), "cublasSetStream");
        check(cublasSetAtomicsMode(blas.get(), CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode");
        check(cublasSetPointerMode(blas.get(), CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
        check(cudnnSetStream(dnn.get(), stream.get()), "cudnnSetStream");
        check(cudaMemsetAsync(words.data(), 0, 2 * sizeof(std::uint64_t), stream.get()), "cudaMemsetAsync");
    }
    device_context(device_context const&) = delete;
    auto operator=(device_context const&) -> device_context& = delete;

    /// Of the iteration that runs, in the device's memory.
    [[nodiscard]] auto iteration() const noexcept -> std::uint64_t* {
        return reinterpret_cast<std::uint64_t*>(words.data());
    }
    /// A word for results.
    [[nodiscard]] auto result() const noexcept -> unsigned long long* {
        return reinterpret_cast<unsigned long long*>(words.data()) + 1;
    }

    device_options options;
    int selected = select(options.device);  // before all that belongs to it is made
    stream_handle stream{};
    cublas_handle blas{};
    cudnn_handle dnn{};
    memory words{repebble::pool::device, 2 * sizeof(std::uint64_t), 256};
    /// By pass, extents, window and type.
    std::map<std::array<int, 13>, chosen_algorithm> algorithms{};

  private:
    [[nodiscard]] static auto select(int device) -> int {
        check(cudaSetDevice(device), "cudaSetDevice");
        return device;
    }
};

}  // namespace train_cuda

#endif
