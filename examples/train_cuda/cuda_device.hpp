#ifndef REPEBBLE_TRAIN_CUDA_CUDA_DEVICE_HPP
#define REPEBBLE_TRAIN_CUDA_CUDA_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/find_lane_times.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/device.hpp>

#include "device_context.hpp"

namespace train_cuda {

/// A GPU that trains networks: cuDNN, cuBLAS and kernels of our own, all on one stream and all with results that are
/// the same bit by bit every time. Copies out and in have a stream each. Tasks belong to it and end before it. It is
/// where it is: neither copied nor moved. All throw cuda_failure where CUDA fails.
class cuda_device {
  public:
    static constexpr repebble::bytes alignment = 256;  ///< of blocks: cuBLAS wants its workspace so

    explicit cuda_device(device_options const& options = {});

    [[nodiscard]] auto allocate(repebble::pool where, repebble::bytes size, repebble::bytes align) -> memory {
        return {where, size, align};
    }
    void upload(std::byte* to, void const* from, repebble::bytes size);
    void download(void* to, std::byte const* from, repebble::bytes size);
    void fill(std::byte* at, repebble::bytes size, std::uint64_t seed);
    [[nodiscard]] auto highest_change(std::byte const* at, repebble::bytes size, std::uint64_t seed) -> repebble::bytes;

    [[nodiscard]] auto workspace_of(repebble::training::forward_call const& c) -> repebble::bytes;
    [[nodiscard]] auto workspace_of(repebble::training::backward_call const& c) -> repebble::bytes;
    [[nodiscard]] auto make(repebble::training::forward_call const& c) -> std::unique_ptr<repebble::training::task>;
    [[nodiscard]] auto make(repebble::training::backward_call const& c) -> std::unique_ptr<repebble::training::task>;
    [[nodiscard]] auto make(repebble::training::accumulate_call const& c) -> std::unique_ptr<repebble::training::task>;

    void begin_iteration(std::uint64_t k);
    void update(std::byte* parameter, std::byte const* gradient, std::byte* velocity, std::int64_t count,
                repebble::training::sgd how);
    /// Numbers of float32 as bfloat16.
    void to_bfloat16(std::byte* to, std::byte const* from, std::int64_t count);
    /// A filter (K, C, H, W) of float32 as bfloat16, with its channels at the end, as cuDNN takes it.
    void filter_to_bfloat16(std::byte* to, std::byte const* from, repebble::networks::tensor const& filter);
    void finish();

    /// Copies into that pool from the other one, in the order of everything else on the stream.
    void copy(std::byte* to, std::byte const* from, repebble::bytes size, repebble::pool where);

    /// Lanes: streams, and events between them. What `record` and `wait` add to a capture are the edges of its graph.
    void reserve_events(std::size_t count);
    void copy_on(repebble::lane on, std::byte* to, std::byte const* from, repebble::bytes size, repebble::pool where);
    /// As copy number `step`, which is timed where it is not captured.
    void copy_on(repebble::lane on, std::byte* to, std::byte const* from, repebble::bytes size, repebble::pool where,
                 std::size_t step);
    /// When that copy ran, in nanoseconds since mark 0, after `finish`; {0, 0} where it did not run since.
    [[nodiscard]] auto copy_span(std::size_t step) const -> repebble::step_span;
    void fill_on(repebble::lane on, std::byte* at, repebble::bytes size, std::uint64_t seed);
    void record(repebble::lane on, std::size_t event);
    void wait(repebble::lane on, std::size_t event);
    /// Waits for all lanes, whatever became of them.
    void cancel() noexcept;

    /// So that marks 0 .. count - 1 allocate nothing.
    void reserve_marks(std::size_t count);
    void mark(std::size_t k);
    /// From mark k to mark k + 1, after `finish`.
    [[nodiscard]] auto nanoseconds(std::size_t k) const -> std::int64_t;

    /// What is launched from now on becomes a graph and does not run.
    void begin_capture();
    /// Throws where something was launched that cannot be in a graph; the stream is as it was all the same.
    [[nodiscard]] auto end_capture() -> executable_graph;
    /// All of the graph.
    void launch(executable_graph const& graph);

  private:
    [[nodiscard]] auto stream() const noexcept -> cudaStream_t { return context_.stream.get(); }
    [[nodiscard]] auto stream(repebble::lane on) const noexcept -> cudaStream_t {
        return on == repebble::lane::compute ? stream() : (on == repebble::lane::offload ? out_ : in_).get();
    }

    struct timed_copy {
        event_handle begin{}, end{};
    };
    [[nodiscard]] static auto nanoseconds(event_handle const& from, event_handle const& to) -> std::int64_t;

    device_context context_;
    stream_handle out_{}, in_{};
    std::vector<event_handle> marks_{};
    std::vector<std::optional<timed_copy>> copies_{};
    bool captures_ = false;
    std::vector<signal_handle> events_{};
};

}  // namespace train_cuda

#endif
