#ifndef REPEBBLE_TRAINING_TRAINER_HPP
#define REPEBBLE_TRAINING_TRAINER_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/model_backend.hpp>
#include <repebble/training/resident_tensors.hpp>

namespace repebble::training {

/// Trains a model by one plan. The model, the device and the resident tensors must outlive it; several trainers may
/// have the same ones.
template <computing_device Device>
class trainer {
  public:
    /// Allocates the arena and makes every step ready.  Throws what the device throws.
    trainer(executable_model const& m, Device& device, resident_tensors<Device>& tensors, bound_schedule plan,
            executor_options options = {})
        : device_(&device),
          plan_(std::move(plan)),
          backend_(m, device, tensors.addresses(), m.model().operations().size() - 1),
          executor_(plan_, backend_, options) {
        if constexpr (requires { device.reserve_marks(std::size_t{}); }) device.reserve_marks(plan_.step_count() + 1);
    }
    trainer(trainer const&) = delete;
    auto operator=(trainer const&) -> trainer& = delete;

    /// Runs the plan once: gradients are there when it returns.  Returns the loss: what the model's last operation
    /// makes, where that is one number; 0 else.
    auto run(std::uint64_t iteration) -> float {
        device_->begin_iteration(iteration);
        executor_.run();
        return loss();
    }
    /// As `run`, in memory that was filled with a pattern before; returns how high was written, too.
    auto run_measured(std::uint64_t iteration) -> std::pair<float, bytes> {
        device_->begin_iteration(iteration);
        auto const highest = executor_.run_measured(iteration + 1);
        return {loss(), highest};
    }

    [[nodiscard]] auto plan() const noexcept -> bound_schedule const& { return plan_; }
    [[nodiscard]] auto record() const noexcept -> execution_record const& { return executor_.record(); }
    /// See model_backend.
    [[nodiscard]] auto first_reordered() const -> std::string { return backend_.first_reordered(); }

  private:
    [[nodiscard]] auto loss() const -> float { return backend_.seen().size() == 1 ? backend_.seen().front() : 0; }

    Device* device_;
    bound_schedule plan_;
    model_backend<Device> backend_;
    executor<model_backend<Device>> executor_;
};

}  // namespace repebble::training

#endif
