#ifndef REPEBBLE_TESTS_CUDNN_H
#define REPEBBLE_TESTS_CUDNN_H

// The part of cuDNN that examples/train_cuda calls.

#include <cuda_runtime_api.h>

enum cudnnStatus_t : int { CUDNN_STATUS_SUCCESS = 0, CUDNN_STATUS_BAD_PARAM = 2000, CUDNN_STATUS_NOT_SUPPORTED = 3000 };
enum cudnnDataType_t : int { CUDNN_DATA_FLOAT = 0, CUDNN_DATA_BFLOAT16 = 9 };
enum cudnnTensorFormat_t : int { CUDNN_TENSOR_NHWC = 1 };
enum cudnnConvolutionMode_t : int { CUDNN_CROSS_CORRELATION = 1 };
enum cudnnMathType_t : int { CUDNN_DEFAULT_MATH = 0, CUDNN_TENSOR_OP_MATH = 1, CUDNN_FMA_MATH = 3 };
enum cudnnDeterminism_t : int { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 };
enum cudnnConvolutionFwdAlgo_t : int { CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1 };
enum cudnnConvolutionBwdDataAlgo_t : int {
    CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,
    CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1
};
enum cudnnConvolutionBwdFilterAlgo_t : int {
    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,
    CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1
};

using cudnnHandle_t = struct cudnnContext*;
using cudnnTensorDescriptor_t = struct cudnnTensorStruct*;
using cudnnFilterDescriptor_t = struct cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = struct cudnnConvolutionStruct*;

/// What cuDNN says of an algorithm.
template <class Algorithm>
struct cudnn_algorithm {
    Algorithm algo{};
    cudnnStatus_t status{};
    cudnnDeterminism_t determinism{};
};
using cudnnConvolutionFwdAlgoPerf_t = cudnn_algorithm<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t = cudnn_algorithm<cudnnConvolutionBwdDataAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t = cudnn_algorithm<cudnnConvolutionBwdFilterAlgo_t>;

auto cudnnGetErrorString(cudnnStatus_t) -> char const*;
auto cudnnCreate(cudnnHandle_t*) -> cudnnStatus_t;
auto cudnnDestroy(cudnnHandle_t) -> cudnnStatus_t;
auto cudnnSetStream(cudnnHandle_t, cudaStream_t) -> cudnnStatus_t;

auto cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t*) -> cudnnStatus_t;
auto cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t) -> cudnnStatus_t;
auto cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t, cudnnTensorFormat_t, cudnnDataType_t, int images, int channels,
                                int height, int width) -> cudnnStatus_t;
auto cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t*) -> cudnnStatus_t;
auto cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t) -> cudnnStatus_t;
auto cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t, cudnnDataType_t, cudnnTensorFormat_t, int filters,
                                int channels, int height, int width) -> cudnnStatus_t;
auto cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t*) -> cudnnStatus_t;
auto cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t) -> cudnnStatus_t;
auto cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t, int pad_height, int pad_width, int stride_height,
                                     int stride_width, int dilation_height, int dilation_width, cudnnConvolutionMode_t,
                                     cudnnDataType_t compute) -> cudnnStatus_t;
auto cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) -> cudnnStatus_t;

auto cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                                            cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t y, int wanted,
                                            int* count, cudnnConvolutionFwdAlgoPerf_t*) -> cudnnStatus_t;
auto cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
                                                 cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t dx, int wanted,
                                                 int* count, cudnnConvolutionBwdDataAlgoPerf_t*) -> cudnnStatus_t;
auto cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
                                                   cudnnConvolutionDescriptor_t, cudnnFilterDescriptor_t dw, int wanted,
                                                   int* count, cudnnConvolutionBwdFilterAlgoPerf_t*) -> cudnnStatus_t;
auto cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                                             cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t y,
                                             cudnnConvolutionFwdAlgo_t, std::size_t*) -> cudnnStatus_t;
auto cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
                                                  cudnnConvolutionDescriptor_t, cudnnTensorDescriptor_t dx,
                                                  cudnnConvolutionBwdDataAlgo_t, std::size_t*) -> cudnnStatus_t;
auto cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                    cudnnTensorDescriptor_t dy, cudnnConvolutionDescriptor_t,
                                                    cudnnFilterDescriptor_t dw, cudnnConvolutionBwdFilterAlgo_t,
                                                    std::size_t*) -> cudnnStatus_t;

// Every result is alpha · what is computed + beta · what is there, which is not read where beta is 0.
auto cudnnConvolutionForward(cudnnHandle_t, void const* alpha, cudnnTensorDescriptor_t x, void const* at_x,
                             cudnnFilterDescriptor_t w, void const* at_w, cudnnConvolutionDescriptor_t,
                             cudnnConvolutionFwdAlgo_t, void* workspace, std::size_t, void const* beta,
                             cudnnTensorDescriptor_t y, void* at_y) -> cudnnStatus_t;
auto cudnnConvolutionBackwardData(cudnnHandle_t, void const* alpha, cudnnFilterDescriptor_t w, void const* at_w,
                                  cudnnTensorDescriptor_t dy, void const* at_dy, cudnnConvolutionDescriptor_t,
                                  cudnnConvolutionBwdDataAlgo_t, void* workspace, std::size_t, void const* beta,
                                  cudnnTensorDescriptor_t dx, void* at_dx) -> cudnnStatus_t;
auto cudnnConvolutionBackwardFilter(cudnnHandle_t, void const* alpha, cudnnTensorDescriptor_t x, void const* at_x,
                                    cudnnTensorDescriptor_t dy, void const* at_dy, cudnnConvolutionDescriptor_t,
                                    cudnnConvolutionBwdFilterAlgo_t, void* workspace, std::size_t, void const* beta,
                                    cudnnFilterDescriptor_t dw, void* at_dw) -> cudnnStatus_t;

#endif
