#ifndef TRAIN_CPU_CPU_DEVICE_HPP
#define TRAIN_CPU_CPU_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <repebble/execute/copy_threads.hpp>
#include <repebble/execute/fill_pattern.hpp>
#include <repebble/execute/guarded_memory.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/device.hpp>

#include "recipe_book.hpp"

/// Training on the processor, by oneDNN.
namespace train_cpu {

/// Equal calls give equal bits, wherever their tensors lie and whatever the workspace holds, as long as the number of
/// threads is the same. In place, a tensor lies as the one that it lies over. Backward, labels, indices, a batch norm's
/// and a layer norm's statistics have to be there, whatever else the gradient needs.
class cpu_device {
  public:
    /// `seed`: of what is random.
    explicit cpu_device(std::uint64_t seed = 0);

    [[nodiscard]] auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment)
        -> repebble::guarded_memory {
        return {size, alignment};
    }
    void upload(std::byte* to, void const* from, repebble::bytes size) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
    }
    void download(void* to, std::byte const* from, repebble::bytes size) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
    }
    void fill(std::byte* at, repebble::bytes size, std::uint64_t seed) { repebble::fill_pattern{seed}.fill(at, size); }
    [[nodiscard]] auto highest_change(std::byte const* at, repebble::bytes size, std::uint64_t seed)
        -> repebble::bytes {
        return repebble::fill_pattern{seed}.highest_change(at, size);
    }

    [[nodiscard]] auto workspace_of(repebble::training::forward_call const& call) -> repebble::bytes;
    [[nodiscard]] auto workspace_of(repebble::training::backward_call const& call) -> repebble::bytes;
    /// Tasks must not outlive the device.
    [[nodiscard]] auto make(repebble::training::forward_call const& call) -> std::unique_ptr<repebble::training::task>;
    [[nodiscard]] auto make(repebble::training::backward_call const& call) -> std::unique_ptr<repebble::training::task>;
    [[nodiscard]] auto make(repebble::training::accumulate_call const& call)
        -> std::unique_ptr<repebble::training::task>;

    void begin_iteration(std::uint64_t k);
    void update(std::byte* parameters, std::byte const* gradients, std::byte* velocities, std::int64_t count,
                repebble::training::sgd how);
    void finish() {
        if (lanes_) lanes_->finish();
    }

    /// Copies run on two threads of their own, which begin with the first plan that copies.
    static constexpr bool copies_first = true;
    void reserve_events(std::size_t count) {
        if (!lanes_) lanes_ = std::make_unique<repebble::copy_threads>();
        lanes_->reserve_events(count);
        lanes_->set_delays(delays_);
    }
    void copy_on(repebble::lane on, std::byte* to, std::byte const* from, repebble::bytes size, repebble::pool,
                 std::size_t number = repebble::copy_threads::untimed) {
        lanes_->copy(on, to, from, size, number);
    }
    /// None for plans without copies.
    [[nodiscard]] auto copy_span(std::size_t number) const -> repebble::step_span {
        return lanes_ ? lanes_->span(number) : repebble::step_span{};
    }
    void fill_on(repebble::lane on, std::byte* at, repebble::bytes size, std::uint64_t seed) {
        on == repebble::lane::compute ? fill(at, size, seed) : lanes_->fill(on, at, size, seed);
    }
    void record(repebble::lane on, std::size_t event) { lanes_->record(on, event); }
    void wait(repebble::lane on, std::size_t event) { lanes_->wait(on, event); }
    void cancel() {
        if (lanes_) lanes_->cancel();
    }
    /// Random pauses before copies and events, for tests.
    void set_delays(repebble::copy_delays const& delays) {
        delays_ = delays;
        if (lanes_) lanes_->set_delays(delays);
    }

  private:
    template <class Call>
    [[nodiscard]] auto make_ready(Call const& call, run_context context,
                                  std::vector<repebble::training::memory_block> clear)
        -> std::unique_ptr<repebble::training::task>;

    dnnl::stream stream_;
    std::uint64_t seed_;
    std::unique_ptr<std::uint64_t> iteration_seed_;  // where tasks look
    recipe_book recipes_{};
    repebble::copy_delays delays_{};
    std::unique_ptr<repebble::copy_threads> lanes_{};
};
static_assert(repebble::training::lane_device<cpu_device>);

}  // namespace train_cpu

#endif
