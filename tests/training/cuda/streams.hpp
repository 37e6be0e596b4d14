#ifndef REPEBBLE_TESTS_TRAINING_CUDA_STREAMS_HPP
#define REPEBBLE_TESTS_TRAINING_CUDA_STREAMS_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

/// Streams, events and graphs: what waits on lanes, and what has to be over before what.
namespace cuda_stand_in {

using operation_number = std::uint32_t;  // from 1 on
/// By lane: how many of its operations are over.
using vector_clock = std::vector<std::uint32_t>;

/// Something to be done.
struct work {
    char const* name = "";
    std::function<void()> run{};
};

/// What is being captured: every node has those that come before it. Kept by all streams and events that have to do
/// with it.
struct capture {
    struct node {
        work what{};
        std::vector<std::size_t> after{};
        cudaEvent_t records = nullptr;  ///< whenever it runs
    };
    std::vector<node> nodes{};
    std::vector<cudaStream_t> streams{};  ///< the first is the one that began
    cudaError_t broken = cudaSuccess;     ///< by a call that cannot be captured
};

/// One after the other. Takes a lane of its own, and gives it back.
class lane {
  public:
    lane();
    ~lane();
    lane(lane const&) = delete;
    auto operator=(lane const&) -> lane& = delete;
    /// Behind all that is on the lane, and behind others.
    auto push(work what, std::vector<operation_number> const& after = {}) -> operation_number;
    /// Runs until nothing is left on it.
    void synchronize();
    [[nodiscard]] auto last() const noexcept -> operation_number { return last_; }

  private:
    std::size_t index_;
    operation_number last_ = 0;
};

/// When an operation ran.
[[nodiscard]] auto nanoseconds_of(operation_number) -> std::int64_t;
[[nodiscard]] auto is_over(operation_number) -> bool;

}  // namespace cuda_stand_in

struct CUstream_st {
    cuda_stand_in::lane lane{};
    std::shared_ptr<cuda_stand_in::capture> captured_by{};
    std::vector<std::size_t> last_nodes{};  // of the capture, on this stream
};

struct CUevent_st {
    bool timed = true;
    cuda_stand_in::operation_number recorded = 0;
    std::shared_ptr<cuda_stand_in::capture> captured_by{};
    std::vector<std::size_t> nodes{};
};

#endif
