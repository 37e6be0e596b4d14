#include <algorithm>
#include <array>
#include <optional>

#include "families.hpp"

namespace train_cuda {

namespace {

/// A batch of matrices: element (i, j) of matrix b is at i · row + j · column + b · next.
struct matrices {
    kernels::numbers numbers{};
    std::int64_t rows = 0, columns = 0;
    std::int64_t row = 0, column = 0;
    std::int64_t next = 0;

    [[nodiscard]] auto transposed() const -> matrices { return {numbers, columns, rows, column, row, next}; }
};

/// As cuBLAS takes it, for which columns lie together: `stride` elements from one to the next.
struct stored {
    bool transposed = false;  ///< rows lie together, so that cuBLAS sees the transposed matrix
    std::int64_t stride = 0;
};

[[nodiscard]] auto stored_as(matrices const& m) -> std::optional<stored> {
    auto const fits = [](std::int64_t length, std::int64_t count, std::int64_t step, std::int64_t apart) {
        return (length == 1 || step == 1) && (count == 1 || apart >= length);
    };
    if (fits(m.columns, m.rows, m.column, m.row))
        return stored{true, m.rows == 1 ? std::max<std::int64_t>(m.columns, 1) : m.row};
    if (fits(m.rows, m.columns, m.row, m.column))
        return stored{false, m.columns == 1 ? std::max<std::int64_t>(m.rows, 1) : m.column};
    return std::nullopt;
}

[[nodiscard]] auto matrices_of(kernels::numbers at, training::layout const& l) -> matrices {
    auto const n = l.tensor.rank();
    return {at,
            l.tensor.shape[n - 2],
            l.tensor.shape[n - 1],
            l.strides[n - 2],
            l.strides[n - 1],
            n == 3 ? l.strides[0] : 0};
}

/// Matrices where they lie, or copied into the workspace where cuBLAS cannot take them so.
[[nodiscard]] auto read_matrices(recipe& r, training::placed_tensor const& x) -> matrices {
    if (auto const m = matrices_of(numbers_of(x), x.layout); x.is_there() && stored_as(m)) return m;
    auto const wanted = training::row_major(x.layout.tensor);
    return matrices_of(r.read(x, wanted), wanted);
}

struct matrices_target {
    matrices to{};
    bool add = false;
};
[[nodiscard]] auto write_matrices(recipe& r, training::placed_gradient const& g) -> matrices_target {
    if (auto const m = matrices_of(numbers_of(g.where), g.where.layout); stored_as(m)) return {m, g.add};
    auto const wanted = training::row_major(g.where.layout.tensor);
    auto const to = r.write(g, wanted);
    return {matrices_of(to, wanted), to.add};
}

[[nodiscard]] auto type_of(matrices const& m) -> cudaDataType {
    return m.numbers.as == kernels::stored::bfloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

/// c = a · b, or c += a · b, summed up in float32. All can lie either way; c may be of float32 where a and b are not.
void product(recipe& r, std::byte* workspace, matrices_target const& c, matrices a, matrices b, std::int64_t batch) {
    auto to = c.to;
    if (!stored_as(to)->transposed) {  // then its transpose lies row by row
        std::swap(a, b);
        a = a.transposed();
        b = b.transposed();
        to = to.transposed();
    }
    // cuBLAS sees the transpose of what lies row by row: it is asked for cᵀ = bᵀ · aᵀ.
    auto const left = *stored_as(b);
    auto const right = *stored_as(a);
    auto const into = *stored_as(to);
    bool const tf32 = r.device().options.math == precision::tf32 && type_of(a) == CUDA_R_32F;
    auto const compute = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    auto const size = static_cast<std::size_t>(r.device().options.matrix_workspace);
    auto const handle = r.device().blas.get();
    r.add("cublasSetWorkspace", [=] { return cublasSetWorkspace(handle, workspace, size); });
    r.add("cublasGemmStridedBatchedEx", [=, add = c.add, inner = a.columns] {
        float const one = 1;
        float const old = add ? 1 : 0;
        return cublasGemmStridedBatchedEx_64(handle, left.transposed ? CUBLAS_OP_N : CUBLAS_OP_T,
                                             right.transposed ? CUBLAS_OP_N : CUBLAS_OP_T, to.columns, to.rows, inner,
                                             &one, b.numbers.at, type_of(b), left.stride, b.next, a.numbers.at,
                                             type_of(a), right.stride, a.next, &old, to.numbers.at, type_of(to),
                                             into.stride, to.next, batch, compute, CUBLAS_GEMM_DEFAULT);
    });
}

[[nodiscard]] auto matrix_workspace(recipe& r) -> std::byte* { return r.take(r.device().options.matrix_workspace); }

[[nodiscard]] auto row_major_matrix(kernels::numbers at, std::int64_t rows, std::int64_t columns) -> matrices {
    return {at, rows, columns, columns, 1, 0};
}

}  // namespace

void sum_columns(recipe& r, std::int64_t rows, std::int64_t columns, kernels::numbers from, kernels::target to) {
    auto* const partial = r.take_array<float>(kernels::column_partials(rows, columns));
    r.add("sum_columns", [=, s = r.stream()] { return kernels::sum_columns(s, rows, columns, from, partial, to); });
}

void forward(recipe& r, networks::linear const& k, forward_call const& c) {
    auto const x = read_matrices(r, r.present(c.inputs.at(0), "its input"));
    auto const y = r.write(c.outputs.at(0), training::row_major(c.outputs.at(0).layout.tensor));
    auto const weight = row_major_matrix(factor_of(r, c, 0, y.as), k.features, x.columns);
    product(r, matrix_workspace(r), {row_major_matrix(y, x.rows, k.features)}, x, weight.transposed(), 1);
    if (k.bias)
        r.add("add_to_rows", [=, s = r.stream(), n = x.rows, m = k.features, bias = parameter_of(c, 1)] {
            return kernels::add_to_rows(s, n, m, bias, y);
        });
}

void backward(recipe& r, networks::linear const& k, backward_call const& c) {
    auto const& dx = c.input_gradients.at(0);
    auto const weight_gradient = parameter_target(c, 0);
    auto const bias_gradient = k.bias ? parameter_target(c, 1) : kernels::target{};
    if (!dx.where.is_there() && weight_gradient.at == nullptr && bias_gradient.at == nullptr) return;
    auto const& shape = r.present(c.output_gradients.at(0), "the gradient of its output").layout.tensor;
    auto const given = r.read(c.output_gradients.at(0), training::row_major(shape));
    auto const dy = row_major_matrix(given, shape.shape[0], k.features);
    if (bias_gradient.at != nullptr) sum_columns(r, dy.rows, dy.columns, given, bias_gradient);
    if (!dx.where.is_there() && weight_gradient.at == nullptr) return;
    auto* const workspace = matrix_workspace(r);
    if (weight_gradient.at != nullptr) {
        auto const x = read_matrices(r, r.present(c.inputs.at(0), "its input"));
        product(r, workspace, {row_major_matrix(weight_gradient, k.features, x.columns), weight_gradient.add},
                dy.transposed(), x, 1);
    }
    if (dx.where.is_there()) {
        auto const to = write_matrices(r, dx);
        product(r, workspace, to, dy, row_major_matrix(factor_of(r, c, 0, given.as), k.features, to.to.columns), 1);
    }
}

void forward(recipe& r, networks::batched_product const&, forward_call const& c) {
    auto const& y = r.present(c.outputs.at(0), "its output");
    auto const a = read_matrices(r, r.present(c.inputs.at(0), "its first input"));
    auto const b = read_matrices(r, r.present(c.inputs.at(1), "its second input"));
    auto const wanted = training::row_major(y.layout.tensor);
    auto const to = matrices_of(r.write(y, wanted), wanted);
    product(r, matrix_workspace(r), {to}, a, b, y.layout.tensor.shape[0]);
}

void backward(recipe& r, networks::batched_product const&, backward_call const& c) {
    auto const& first = c.input_gradients.at(0);
    auto const& second = c.input_gradients.at(1);
    if (!first.where.is_there() && !second.where.is_there()) return;
    auto const& given = r.present(c.output_gradients.at(0), "the gradient of its output");
    auto const batch = given.layout.tensor.shape[0];
    auto const dy = read_matrices(r, given);
    auto* const workspace = matrix_workspace(r);
    if (first.where.is_there()) {
        auto const b = read_matrices(r, r.present(c.inputs.at(1), "its second input"));
        product(r, workspace, write_matrices(r, first), dy, b.transposed(), batch);
    }
    if (second.where.is_there()) {
        auto const a = read_matrices(r, r.present(c.inputs.at(0), "its first input"));
        product(r, workspace, write_matrices(r, second), a.transposed(), dy, batch);
    }
}

}  // namespace train_cuda
