#include "cudnn_types.hpp"

auto cudnnGetErrorString(cudnnStatus_t) -> char const* { return "a wrong call of cuDNN"; }

namespace {
template <class Struct>
auto create(Struct** to) -> cudnnStatus_t {
    *to = new Struct;
    return CUDNN_STATUS_SUCCESS;
}
template <class Struct>
auto destroy(Struct* made) -> cudnnStatus_t {
    delete made;
    return CUDNN_STATUS_SUCCESS;
}
}  // namespace

auto cudnnCreate(cudnnHandle_t* to) -> cudnnStatus_t { return create(to); }
auto cudnnDestroy(cudnnHandle_t h) -> cudnnStatus_t { return destroy(h); }
auto cudnnSetStream(cudnnHandle_t h, cudaStream_t stream) -> cudnnStatus_t {
    h->stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

auto cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* to) -> cudnnStatus_t { return create(to); }
auto cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t d) -> cudnnStatus_t { return destroy(d); }
auto cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t d, cudnnTensorFormat_t, cudnnDataType_t type, int images,
                                int channels, int height, int width) -> cudnnStatus_t {
    if (images <= 0 || channels <= 0 || height <= 0 || width <= 0) return CUDNN_STATUS_BAD_PARAM;
    *d = {type, images, channels, height, width};
    return CUDNN_STATUS_SUCCESS;
}

auto cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* to) -> cudnnStatus_t { return create(to); }
auto cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t d) -> cudnnStatus_t { return destroy(d); }
auto cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t d, cudnnDataType_t type, cudnnTensorFormat_t, int filters,
                                int channels, int height, int width) -> cudnnStatus_t {
    if (filters <= 0 || channels <= 0 || height <= 0 || width <= 0) return CUDNN_STATUS_BAD_PARAM;
    *d = {{type, filters, channels, height, width}};
    return CUDNN_STATUS_SUCCESS;
}

auto cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* to) -> cudnnStatus_t { return create(to); }
auto cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t d) -> cudnnStatus_t { return destroy(d); }
auto cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t d, int pad_height, int pad_width, int stride_height,
                                     int stride_width, int dilation_height, int dilation_width, cudnnConvolutionMode_t,
                                     cudnnDataType_t) -> cudnnStatus_t {
    if (pad_height < 0 || stride_height <= 0 || dilation_height <= 0) return CUDNN_STATUS_BAD_PARAM;
    if (pad_width != pad_height || stride_width != stride_height || dilation_width != dilation_height)
        return CUDNN_STATUS_NOT_SUPPORTED;
    *d = {pad_height, stride_height, dilation_height};
    return CUDNN_STATUS_SUCCESS;
}
auto cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) -> cudnnStatus_t {
    return CUDNN_STATUS_SUCCESS;
}
