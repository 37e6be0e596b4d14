// Covers training/device_weights.hpp, training/resident_tensors.hpp, training/trainer.hpp.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/resident_tensors.hpp>
#include <repebble/training/trainer.hpp>

#include "support/catch.hpp"
#include "train_cpu/cpu_device.hpp"

using namespace repebble;

namespace {

using recorded_actions = std::vector<std::function<void()>>;

/// The processor as a device that can record: what is asked of it is kept in a list instead of done.
class recording_device : public train_cpu::cpu_device {
  public:
    using cpu_device::cpu_device;
    bool refuses = false;  ///< to end a record
    int captures = 0, launches = 0;

    template <class Call>
    [[nodiscard]] auto make(Call const& call) -> std::unique_ptr<training::task> {
        return std::make_unique<recording_task>(*this, cpu_device::make(call));
    }
    void fill(std::byte* at, bytes size, std::uint64_t seed) {
        act([=, this] { cpu_device::fill(at, size, seed); });
    }
    void copy(std::byte* to, std::byte const* from, bytes size, pool) {
        act([=, this] { cpu_device::download(to, from, size); });
    }
    void upload(std::byte* to, void const* from, bytes size) {
        if (recording_) throw std::runtime_error("waits while it records");
        cpu_device::upload(to, from, size);
    }
    void finish() {
        if (recording_) throw std::runtime_error("waits while it records");
    }
    void begin_capture() {
        recording_ = true;
        recorded_.clear();
    }
    [[nodiscard]] auto end_capture() -> recorded_actions {
        recording_ = false;
        if (refuses) throw std::runtime_error("cannot be recorded");
        ++captures;
        return std::move(recorded_);
    }
    void launch(recorded_actions const& all) {
        ++launches;
        for (auto const& action : all) action();
    }

  private:
    class recording_task final : public training::task {
      public:
        recording_task(recording_device& on, std::unique_ptr<training::task> inner)
            : on_(on), inner_(std::move(inner)) {}
        void run() override {
            on_.act([this] { inner_->run(); });
        }

      private:
        recording_device& on_;
        std::unique_ptr<training::task> inner_;
    };

    void act(std::function<void()> action) {
        if (recording_)
            recorded_.push_back(std::move(action));
        else
            action();
    }

    bool recording_ = false;
    recorded_actions recorded_{};
};
static_assert(training::capturing_device<recording_device>);
static_assert(!training::copying_device<train_cpu::cpu_device>);

auto with_dropout() -> networks::model {
    using namespace networks;
    model m("with dropout");
    auto x = m.add_input("rows", {{4, 6}});
    x = m.append("first", linear{8}, {x});
    x = m.append("dropped", dropout{0.4}, {m.append("gelu", gelu{}, {x})});
    add_loss(m, m.append("second", linear{3}, {x}));
    return m;
}

/// A plan that computes again, and what it trains.
struct recorded_run {
    recording_device device{3};
    training::executable_model model{with_dropout()};
    training::resident_tensors<recording_device> tensors{model.model(), device, 5};
    training_graph graph = training::weighed(model, training::workspaces_on(device, model));
    training::trainer<recording_device> trainer{
        model,
        device,
        tensors,
        bind_schedule(graph.flow, forget_all(graph).schedule, {.alignment = 64}),
        {.poison = true}};

    recorded_run() {
        std::vector<float> const rows(24, 0.5F);
        std::vector<std::int64_t> const labels{0, 2, 1, 1};
        tensors.set_input(0, std::as_bytes(std::span(rows)));
        tensors.set_input(1, std::as_bytes(std::span(labels)));
    }
};

}  // namespace

TEST_CASE("an iteration that was captured leaves the bits of one that was not, whichever iteration it is",
          "[training]") {
    recorded_run plain, captured;
    static_cast<void>(captured.trainer.run(0));
    REQUIRE_FALSE(captured.trainer.capture());
    CHECK(captured.device.captures == 1);
    std::vector<float> losses;
    for (std::uint64_t k = 0; k < 4; ++k) {
        losses.push_back(plain.trainer.run(k));
        CHECK(captured.trainer.run_captured(k) == losses.back());
        CHECK(captured.tensors.gradients() == plain.tensors.gradients());
        plain.tensors.step({});
        captured.tensors.step({});
    }
    CHECK(captured.device.launches == 4);
    CHECK(losses[0] != losses[1]);
    CHECK(captured.tensors.parameters() == plain.tensors.parameters());
    CHECK(captured.trainer.nanoseconds() > 0);
    // Step by step goes on beside it, and has the times of steps.
    CHECK(captured.trainer.run(4) == plain.trainer.run(4));
    CHECK(captured.trainer.nanoseconds() == captured.trainer.record().nanoseconds);
}

TEST_CASE("a capture with marks is refused where the device has none, and what was captured before goes on",
          "[training]") {
    recorded_run captured;
    auto const loss = captured.trainer.run(1);
    REQUIRE_FALSE(captured.trainer.capture());
    CHECK(captured.trainer.capture(training::capture_marks::yes) == "the device has no marks");
    CHECK(captured.trainer.run_captured(1) == loss);
    CHECK(captured.device.captures == 1);
}

TEST_CASE("where capturing fails, the device says why and runs step by step as before", "[training]") {
    recorded_run plain, refused;
    refused.device.refuses = true;
    CHECK(refused.trainer.capture() == "cannot be recorded");
    CHECK(refused.trainer.run(1) == plain.trainer.run(1));
    CHECK(refused.tensors.gradients() == plain.tensors.gradients());
    CHECK(refused.device.launches == 0);
}
