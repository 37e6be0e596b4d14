#ifndef REPEBBLE_TESTS_CUBLAS_V2_H
#define REPEBBLE_TESTS_CUBLAS_V2_H

// The part of cuBLAS that examples/train_cuda calls.

#include <cuda_runtime_api.h>

enum cublasStatus_t : int {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_NOT_SUPPORTED = 15
};
enum cublasOperation_t : int { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasAtomicsMode_t : int { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 };
enum cublasPointerMode_t : int { CUBLAS_POINTER_MODE_HOST = 0 };
enum cublasComputeType_t : int { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1 };
using cublasHandle_t = struct cublasContext*;

auto cublasGetStatusString(cublasStatus_t) -> char const*;
auto cublasCreate(cublasHandle_t*) -> cublasStatus_t;
auto cublasDestroy(cublasHandle_t) -> cublasStatus_t;
auto cublasSetStream(cublasHandle_t, cudaStream_t) -> cublasStatus_t;
auto cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) -> cublasStatus_t;
auto cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t) -> cublasStatus_t;
auto cublasSetWorkspace(cublasHandle_t, void*, std::size_t) -> cublasStatus_t;
/// Matrices whose columns lie together: c = alpha · op(a) · op(b) + beta · c, for each of `count`. c is not read where
/// beta is 0.
auto cublasGemmStridedBatchedEx_64(cublasHandle_t, cublasOperation_t of_a, cublasOperation_t of_b, std::int64_t m,
                                   std::int64_t n, std::int64_t k, void const* alpha, void const* a,
                                   cudaDataType type_of_a, std::int64_t lda, std::int64_t next_a, void const* b,
                                   cudaDataType type_of_b, std::int64_t ldb, std::int64_t next_b, void const* beta,
                                   void* c, cudaDataType type_of_c, std::int64_t ldc, std::int64_t next_c,
                                   std::int64_t count, cublasComputeType_t, cublasGemmAlgo_t) -> cublasStatus_t;

#endif
