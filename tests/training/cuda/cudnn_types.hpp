#ifndef REPEBBLE_TESTS_TRAINING_CUDA_CUDNN_TYPES_HPP
#define REPEBBLE_TESTS_TRAINING_CUDA_CUDNN_TYPES_HPP

#include <cudnn.h>

#include <cstdint>

#include "library.hpp"

/// The descriptors of cuDNN, all with channels at the end. Of a filter the first extent is that of its outputs.
struct cudnnTensorStruct {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    int images = 0, channels = 0, height = 0, width = 0;

    [[nodiscard]] auto pixels() const -> std::int64_t { return std::int64_t{images} * height * width; }
    [[nodiscard]] auto count() const -> std::int64_t { return pixels() * channels; }
    [[nodiscard]] auto array_at(void const* at) const -> cuda_stand_in::array {
        return {at, type == CUDNN_DATA_BFLOAT16};
    }
    friend auto operator==(cudnnTensorStruct const&, cudnnTensorStruct const&) -> bool = default;
};
struct cudnnFilterStruct : cudnnTensorStruct {};
struct cudnnConvolutionStruct {
    int padding = 0, stride = 1, dilation = 1;
};
struct cudnnContext {
    cudaStream_t stream = nullptr;
};

#endif
