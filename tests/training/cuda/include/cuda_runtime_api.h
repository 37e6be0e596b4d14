#ifndef REPEBBLE_TESTS_CUDA_RUNTIME_API_H
#define REPEBBLE_TESTS_CUDA_RUNTIME_API_H

// The part of CUDA's runtime that examples/train_cuda calls from the host, for machines without CUDA: our own statement
// of its names. What stands behind them is beside this folder.

#include <cstddef>
#include <cstdint>

// Not all of them begin at 0 and count on, as CUDA's do not: no program may depend on the numbers but on that of
// success.
enum cudaError_t : int {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorStreamCaptureUnjoined = 904,
    cudaErrorStreamCaptureIsolation = 905,
    cudaErrorCapturedEvent = 907,
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;

enum cudaMemcpyKind : int { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum cudaDeviceAttr : int {
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
};
struct cudaDeviceProp {
    char name[256];
};
enum cudaStreamCaptureMode : int { cudaStreamCaptureModeThreadLocal = 1 };
enum cudaDataType : int { CUDA_R_32F = 0, CUDA_R_16BF = 14 };

inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0;
inline constexpr unsigned cudaEventDisableTiming = 2;
inline constexpr unsigned cudaEventRecordDefault = 0;
inline constexpr unsigned cudaEventRecordExternal = 1;

auto cudaGetErrorString(cudaError_t) -> char const*;
auto cudaGetLastError() -> cudaError_t;
auto cudaGetDeviceCount(int*) -> cudaError_t;
auto cudaSetDevice(int) -> cudaError_t;
auto cudaGetDeviceProperties(cudaDeviceProp*, int) -> cudaError_t;
auto cudaDeviceGetAttribute(int*, cudaDeviceAttr, int device) -> cudaError_t;

auto cudaMemGetInfo(std::size_t* free, std::size_t* total) -> cudaError_t;
auto cudaMalloc(void**, std::size_t) -> cudaError_t;
auto cudaMallocHost(void**, std::size_t) -> cudaError_t;
auto cudaFree(void*) -> cudaError_t;
auto cudaFreeHost(void*) -> cudaError_t;
auto cudaMemcpyAsync(void* to, void const* from, std::size_t, cudaMemcpyKind, cudaStream_t) -> cudaError_t;
auto cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) -> cudaError_t;

auto cudaStreamCreateWithFlags(cudaStream_t*, unsigned) -> cudaError_t;
auto cudaStreamDestroy(cudaStream_t) -> cudaError_t;
auto cudaStreamSynchronize(cudaStream_t) -> cudaError_t;
auto cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) -> cudaError_t;
auto cudaEventCreateWithFlags(cudaEvent_t*, unsigned) -> cudaError_t;
auto cudaEventDestroy(cudaEvent_t) -> cudaError_t;
auto cudaEventRecord(cudaEvent_t, cudaStream_t) -> cudaError_t;
auto cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) -> cudaError_t;
auto cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) -> cudaError_t;

auto cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) -> cudaError_t;
auto cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) -> cudaError_t;
auto cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) -> cudaError_t;
auto cudaGraphDestroy(cudaGraph_t) -> cudaError_t;
auto cudaGraphExecDestroy(cudaGraphExec_t) -> cudaError_t;
auto cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) -> cudaError_t;

#endif
