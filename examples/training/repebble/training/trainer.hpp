#ifndef REPEBBLE_TRAINING_TRAINER_HPP
#define REPEBBLE_TRAINING_TRAINER_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/model_backend.hpp>
#include <repebble/training/resident_tensors.hpp>

namespace repebble::training {

namespace detail {
struct nothing_captured {};
template <class Device>
struct captured_by {
    using type = nothing_captured;
};
template <capturing_device Device>
struct captured_by<Device> {
    using type = decltype(std::declval<Device&>().end_capture());
};
}  // namespace detail

/// Whether a capture has marks between its steps, where the device has such.
enum class capture_marks : std::uint8_t { no, yes };

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
        if (!m.plans_gradients()) return;
        for (std::size_t p = 0; p < m.model().parameters().size(); ++p) {
            auto const value_of = [](placed_value const& r) { return r.what.value; };
            auto const at = std::ranges::find(plan_.results(), m.gradient_value(p), value_of);
            gradients_.push_back(at == plan_.results().end() ? nullptr : executor_.memory().at(at->where));
        }
    }
    trainer(trainer const&) = delete;
    auto operator=(trainer const&) -> trainer& = delete;

    /// Runs the plan once: gradients are there when it returns.  Returns the loss: what the model's last operation
    /// makes, where that is one number; 0 else.
    auto run(std::uint64_t iteration) -> float {
        device_->begin_iteration(iteration);
        nanoseconds_ = executor_.run().nanoseconds;
        return loss();
    }
    /// Records the steps on the device, for `run_captured`. Returns why that cannot be, or nothing where it could. What
    /// the iteration is comes from outside of the steps, so that one record serves all iterations.
    /// With marks, every step of a captured run is timed, which takes a little itself.
    /// Requires: they ran before, so that whatever libraries make at first is there.
    [[nodiscard]] auto capture(capture_marks marks = capture_marks::no) -> std::optional<std::string>
        requires capturing_device<Device>
    {
        bool const marked = marks == capture_marks::yes;
        if (marked && !can_mark) return "the device has no marks";
        try {
            device_->begin_capture();
        } catch (std::exception const& e) {
            return e.what();
        }
        std::optional<std::string> why;
        try {
            if constexpr (can_mark) marked ? executor_.issue_marked() : executor_.issue();
            if constexpr (!can_mark) executor_.issue();
        } catch (std::exception const& e) {
            why = e.what();
        }
        try {
            auto made = device_->end_capture();  // whatever happened: the device does again what it is asked to
            if (!why) {
                captured_.emplace(std::move(made));
                marked_ = marked;
            }
        } catch (std::exception const& e) {
            if (!why) why = e.what();
        }
        return why;
    }
    /// As `run`, with one launch for all steps: there is no record of them without marks.  Requires: `capture` could.
    auto run_captured(std::uint64_t iteration) -> float
        requires capturing_device<Device>
    {
        REPEBBLE_ASSERT(captured_.has_value());
        device_->begin_iteration(iteration);
        auto const launch = [this] { device_->launch(*captured_); };
        if constexpr (can_mark) {
            if (!marked_) device_->mark(0);
            launch();
            if (!marked_) device_->mark(1);
            device_->finish();
            nanoseconds_ = marked_ ? executor_.read_marks().nanoseconds : device_->nanoseconds(0);
        } else {
            auto const begin = std::chrono::steady_clock::now();
            launch();
            device_->finish();
            nanoseconds_ = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
        }
        return loss();
    }
    /// As `run`, in memory that was filled with a pattern before; returns how high was written, too.
    auto run_measured(std::uint64_t iteration) -> std::pair<float, written_bytes> {
        device_->begin_iteration(iteration);
        auto const highest = executor_.run_measured(iteration + 1);
        nanoseconds_ = record().nanoseconds;
        return {loss(), highest};
    }

    [[nodiscard]] auto plan() const noexcept -> bound_schedule const& { return plan_; }
    /// The record of the last run that was not captured, or was with marks.
    [[nodiscard]] auto record() const noexcept -> execution_record const& { return executor_.record(); }
    /// The time of the last run, whichever it was.
    [[nodiscard]] auto nanoseconds() const noexcept -> std::int64_t { return nanoseconds_; }
    /// Where gradients of parameters lie in the plan's arena after a run: of every parameter, nullptr where there is
    /// none. Nothing at all where they lie beside the plan.
    [[nodiscard]] auto gradients() const noexcept -> std::span<std::byte* const> { return gradients_; }
    /// See model_backend.
    [[nodiscard]] auto first_reordered() const -> std::string { return backend_.first_reordered(); }

  private:
    static constexpr bool can_mark = requires(Device& d) { d.mark(std::size_t{}); };

    [[nodiscard]] auto loss() -> float {
        auto const seen = backend_.seen();
        return seen.size() == 1 ? seen.front() : 0;
    }

    Device* device_;
    bound_schedule plan_;
    model_backend<Device> backend_;
    executor<model_backend<Device>> executor_;
    std::optional<typename detail::captured_by<Device>::type> captured_{};
    bool marked_ = false;  // in captured_
    std::int64_t nanoseconds_ = 0;
    std::vector<std::byte*> gradients_{};
};

}  // namespace repebble::training

#endif
