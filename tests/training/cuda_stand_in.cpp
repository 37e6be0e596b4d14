// Covers execute/fill_pattern.hpp.
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cublas_v2.h>
#include <cudnn.h>

#include <repebble/execute/fill_pattern.hpp>

#include "stand_in.hpp"
#include "support/catch.hpp"
#include "train_cuda/handles.hpp"
#include "train_cuda/kernels.hpp"
#include "train_cuda/memory.hpp"
#include "wrong_kernels.hpp"

namespace {

namespace cuda = train_cuda;
using repebble::pool;
using wrong_kernels::fault;

constexpr int turned_count = 128;

/// Two streams, and arrays of 128 floats: the first one written, the second not.
struct two_streams {
    struct begun {
        explicit begun(std::uint64_t seed) { cuda_stand_in::begin(seed); }
    };

    explicit two_streams(std::uint64_t seed = 0) : fresh(seed) {
        REQUIRE(cuda::kernels::fill(first.get(), x(), 4 * turned_count, 1) == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(first.get()) == cudaSuccess);
    }
    [[nodiscard]] auto x() const -> float* { return reinterpret_cast<float*>(written.data()); }
    [[nodiscard]] auto y() const -> float* { return reinterpret_cast<float*>(room.data()); }
    auto turn(cuda::stream_handle const& on, float* to, float const* from) const -> cudaError_t {
        return wrong_kernels::turn(on.get(), fault::none, to, from);
    }
    /// What waiting for both streams finds.
    auto found() const -> std::string {
        static_cast<void>(cudaStreamSynchronize(first.get()));
        static_cast<void>(cudaStreamSynchronize(second.get()));
        return cuda_stand_in::fault();
    }

    begun fresh;
    cuda::stream_handle first{}, second{};
    cuda::signal_handle event{};
    cuda::memory written{pool::device, 4 * turned_count, 256}, room{pool::device, 4 * turned_count, 256};
    cuda::memory other{pool::device, 4 * turned_count, 256}, pinned{pool::host, 4 * turned_count, 256};
};

auto says(std::string const& text, std::string const& part) -> bool { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the stand-in finds what a kernel does wrong, and says where", "[training]") {
    std::pair<fault, std::string> const all[] = {
        {fault::reads_behind_the_end, "block 1, thread 63 reads"},
        {fault::writes_before_the_begin, "block 0, thread 0 writes 4 bytes 4 bytes before a block of"},
        {fault::misaligned, "block 0, thread 7 takes 4 bytes at an address that is not aligned"},
        {fault::no_barrier, "reads what its block has not written"},
        {fault::no_barrier_between_turns, "writes what another reads"},
        {fault::barrier_for_some, "threads wait at a barrier to which others never come"},
        {fault::half_a_warp_leaves, "threads wait at a barrier to which others never come"},
        {fault::shared_memory_not_written, "reads what its block has not written"},
        {fault::two_threads_write, "writes what another writes"},
        {fault::blocks_read_each_other, "block 1, thread 0 reads what another writes"},
        {fault::address_of_nothing, "writes 4 bytes outside of all blocks"}};
    for (auto const& [what, message] : all) {
        two_streams s;
        CAPTURE(message);
        REQUIRE(wrong_kernels::turn(s.first.get(), what, s.y(), s.x()) == cudaSuccess);
        CHECK(cudaStreamSynchronize(s.first.get()) == cudaErrorIllegalAddress);
        CAPTURE(cuda_stand_in::fault());
        CHECK(says(cuda_stand_in::fault(), message));
        CHECK(s.turn(s.first, s.y(), s.x()) == cudaErrorIllegalAddress);  // as on a GPU, nothing goes on
    }
    two_streams s;
    REQUIRE(s.turn(s.first, s.y(), s.x()) == cudaSuccess);
    CHECK(s.found().empty());
    CHECK(s.turn(s.first, s.x(), s.y()) == cudaSuccess);
    CHECK(s.found().empty());
}

TEST_CASE("the stand-in finds what nothing orders, whichever runs first", "[training]") {
    for (std::uint64_t const seed : {0U, 1U, 2U, 3U}) {
        auto const both = [seed](bool record, bool wait, auto const& other) {
            two_streams s(seed);
            REQUIRE(s.turn(s.first, s.y(), s.x()) == cudaSuccess);
            if (record) REQUIRE(cudaEventRecord(s.event.get(), s.first.get()) == cudaSuccess);
            if (wait) REQUIRE(cudaStreamWaitEvent(s.second.get(), s.event.get(), 0) == cudaSuccess);
            REQUIRE(other(s) == cudaSuccess);
            return s.found();
        };
        auto const reads = [](two_streams const& s) {
            return cudaMemcpyAsync(s.pinned.data(), s.y(), 4 * turned_count, cudaMemcpyDeviceToHost, s.second.get());
        };
        auto const writes = [](two_streams const& s) {
            return cudaMemsetAsync(s.x(), 0, 4 * turned_count, s.second.get());
        };
        auto const apart = [](two_streams const& s) {
            return s.turn(s.second, reinterpret_cast<float*>(s.other.data()), s.x());
        };
        CAPTURE(seed);
        CHECK(both(true, true, reads).empty());
        CHECK(both(true, true, writes).empty());
        CHECK(both(false, false, apart).empty());
        CHECK_FALSE(both(false, true, reads).empty());
        CHECK_FALSE(both(true, false, writes).empty());
    }
}

TEST_CASE("the stand-in refuses captures that CUDA refuses", "[training]") {
    two_streams s;
    auto const end = [&] {
        cudaGraph_t made = nullptr;
        auto const status = cudaStreamEndCapture(s.first.get(), &made);
        static_cast<void>(cudaGraphDestroy(made));
        return status;
    };
    auto const begin = [&] {
        REQUIRE(cudaStreamBeginCapture(s.first.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    };
    auto const fork = [&] {
        REQUIRE(cudaEventRecord(s.event.get(), s.first.get()) == cudaSuccess);
        return cudaStreamWaitEvent(s.second.get(), s.event.get(), 0);
    };
    auto const fill = [&](cuda::stream_handle const& on, std::byte* at) { return cudaMemsetAsync(at, 0, 4, on.get()); };
    begin();
    CHECK(fork() == cudaSuccess);
    CHECK(fill(s.second, s.room.data()) == cudaSuccess);
    CHECK(end() == cudaErrorStreamCaptureUnjoined);
    CHECK(cudaStreamWaitEvent(s.second.get(), s.event.get(), 0) == cudaErrorCapturedEvent);
    CHECK(fork() == cudaSuccess);
    begin();
    CHECK(cudaStreamWaitEvent(s.first.get(), s.event.get(), 0) == cudaErrorStreamCaptureIsolation);
    CHECK(end() == cudaErrorStreamCaptureIsolation);
    begin();
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, 4) == cudaErrorStreamCaptureUnsupported);
    CHECK(fill(s.first, s.room.data()) == cudaErrorStreamCaptureInvalidated);
    CHECK(end() == cudaErrorStreamCaptureInvalidated);
    CHECK(s.found().empty());
}

TEST_CASE("the stand-in finds libraries called wrongly", "[training]") {
    float const one = 1;
    float const zero = 0;
    auto const multiply = [&](two_streams const& s, float* c, std::int64_t apart) {
        cuda::cublas_handle const blas;
        cublasSetStream(blas.get(), s.first.get());
        cublasSetWorkspace(blas.get(), s.room.data() + 256, 64);
        return cublasGemmStridedBatchedEx_64(blas.get(), CUBLAS_OP_T, CUBLAS_OP_N, 2, 3, 4, &one, s.x(), CUDA_R_32F, 4,
                                             0, s.x() + 8, CUDA_R_32F, apart, 0, &zero, c, CUDA_R_32F, 2, 0, 1,
                                             CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    };
    two_streams right;
    CHECK(multiply(right, right.y(), 4) == CUBLAS_STATUS_SUCCESS);
    CHECK(right.found().empty());
    CHECK(multiply(right, right.y(), 3) == CUBLAS_STATUS_INVALID_VALUE);
    two_streams over;
    CHECK(multiply(over, over.x() + 4, 4) == CUBLAS_STATUS_SUCCESS);
    CHECK(says(over.found(), "writes what another reads"));
    two_streams unwritten;
    CHECK(unwritten.turn(unwritten.first, unwritten.x(), unwritten.y()) == cudaSuccess);
    CHECK(says(unwritten.found(), "reads what nobody wrote"));
    two_streams wrong_way;
    CHECK(cudaMemcpyAsync(wrong_way.x(), wrong_way.y(), 4, cudaMemcpyDeviceToHost, wrong_way.first.get()) ==
          cudaErrorInvalidValue);
    two_streams long_copy;
    CHECK(cudaMemcpyAsync(long_copy.pinned.data(), long_copy.x(), 4 * turned_count + 8, cudaMemcpyDeviceToHost,
                          long_copy.first.get()) == cudaSuccess);
    CHECK(says(long_copy.found(), "copy to the host reads 520 bytes at byte 0 of a block of 513"));
}

TEST_CASE("the stand-in knows how much memory is free, and refuses more", "[training]") {
    cuda_stand_in::begin();
    std::size_t before = 0, now = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&before, &total) == cudaSuccess);
    {
        cuda::memory const pinned(pool::host, 1000, 256);
        cuda::memory const held(pool::device, 1000, 256);
        REQUIRE(cudaMemGetInfo(&now, &total) == cudaSuccess);
        CHECK(before - now >= 1000);
        CHECK(before - now < 2000);
    }
    REQUIRE(cudaMemGetInfo(&now, &total) == cudaSuccess);
    CHECK(now == before);
    void* none = nullptr;
    CHECK(cudaMalloc(&none, now + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&none, 1000) == cudaSuccess);  // and goes on
    CHECK(cudaFree(none) == cudaSuccess);
}
