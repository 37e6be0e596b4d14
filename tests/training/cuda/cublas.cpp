#include "cublas_v2.h"

#include <algorithm>

#include "library.hpp"

// Products of matrices, as cuBLAS has them: columns lie together.

struct cublasContext {
    cudaStream_t stream = nullptr;
    void* workspace = nullptr;  // nullptr: one of its own
    std::size_t workspace_size = 0;
};

namespace {

using cuda_stand_in::array;

/// A batch of matrices as they lie; op(m) is one of them or its transpose.
struct operand {
    array at;
    bool transposed;
    std::int64_t rows, columns;  // of op(m)
    std::int64_t apart, next;

    [[nodiscard]] auto lies_right() const -> bool { return apart >= std::max<std::int64_t>(1, length()); }
    [[nodiscard]] auto length() const -> std::int64_t { return transposed ? columns : rows; }
    [[nodiscard]] auto count() const -> std::int64_t { return transposed ? rows : columns; }
    [[nodiscard]] auto position(std::int64_t batch, std::int64_t i, std::int64_t j) const -> std::int64_t {
        return batch * next + (transposed ? i * apart + j : j * apart + i);
    }
    template <class F>
    void for_each_column(std::int64_t batches, F f) const {
        for (std::int64_t b = 0; b < batches; ++b)
            for (std::int64_t j = 0; j < count(); ++j) f(b * next + j * apart, length());
    }
};

void multiply(operand const& a, operand const& b, operand const& c, float alpha, float beta, std::int64_t batches) {
    auto const read = [](array const& m) { return [&](std::int64_t begin, std::int64_t n) { m.read(begin, n); }; };
    a.for_each_column(batches, read(a.at));
    b.for_each_column(batches, read(b.at));
    c.for_each_column(batches, [&](std::int64_t begin, std::int64_t n) { c.at.write(begin, n, beta); });
    for (std::int64_t batch = 0; batch < batches; ++batch)
        for (std::int64_t i = 0; i < c.rows; ++i)
            for (std::int64_t j = 0; j < c.columns; ++j) {
                float sum = 0;
                for (std::int64_t k = 0; k < a.columns; ++k)
                    sum += a.at[a.position(batch, i, k)] * b.at[b.position(batch, k, j)];
                c.at.put(c.position(batch, i, j), sum, alpha, beta);
            }
}

}  // namespace

auto cublasGetStatusString(cublasStatus_t) -> char const* { return "a wrong call of cuBLAS"; }
auto cublasCreate(cublasHandle_t* to) -> cublasStatus_t {
    *to = new cublasContext;
    return CUBLAS_STATUS_SUCCESS;
}
auto cublasDestroy(cublasHandle_t h) -> cublasStatus_t {
    delete h;
    return CUBLAS_STATUS_SUCCESS;
}
auto cublasSetStream(cublasHandle_t h, cudaStream_t stream) -> cublasStatus_t {
    *h = {stream};  // and the workspace is its own again
    return CUBLAS_STATUS_SUCCESS;
}
auto cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t) -> cublasStatus_t { return CUBLAS_STATUS_SUCCESS; }
auto cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t) -> cublasStatus_t { return CUBLAS_STATUS_SUCCESS; }
auto cublasSetWorkspace(cublasHandle_t h, void* at, std::size_t size) -> cublasStatus_t {
    if (reinterpret_cast<std::uintptr_t>(at) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
    h->workspace = at;
    h->workspace_size = size;
    return CUBLAS_STATUS_SUCCESS;
}

auto cublasGemmStridedBatchedEx_64(cublasHandle_t h, cublasOperation_t of_a, cublasOperation_t of_b, std::int64_t m,
                                   std::int64_t n, std::int64_t k, void const* alpha, void const* a,
                                   cudaDataType type_of_a, std::int64_t lda, std::int64_t next_a, void const* b,
                                   cudaDataType type_of_b, std::int64_t ldb, std::int64_t next_b, void const* beta,
                                   void* c, cudaDataType type_of_c, std::int64_t ldc, std::int64_t next_c,
                                   std::int64_t count, cublasComputeType_t, cublasGemmAlgo_t) -> cublasStatus_t {
    bool const halves = type_of_a == CUDA_R_16BF;
    if (type_of_b != type_of_a || (!halves && type_of_c != CUDA_R_32F)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (h->workspace == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;  // that of the handle is not planned
    operand const first{{a, halves}, of_a == CUBLAS_OP_T, m, k, lda, next_a};
    operand const second{{b, halves}, of_b == CUBLAS_OP_T, k, n, ldb, next_b};
    operand const to{{c, type_of_c == CUDA_R_16BF}, false, m, n, ldc, next_c};
    if (m < 0 || n < 0 || k < 0 || count < 0 || !first.lies_right() || !second.lies_right() || !to.lies_right())
        return CUBLAS_STATUS_INVALID_VALUE;
    auto const error =
        cuda_stand_in::enqueue(h->stream, "cublasGemmStridedBatchedEx",
                               [=, one = cuda_stand_in::number_at(alpha), old = cuda_stand_in::number_at(beta),
                                at = h->workspace, size = h->workspace_size] {
                                   cuda_stand_in::use_workspace(at, size);
                                   multiply(first, second, to, one, old, count);
                               });
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}
