// Covers training/device.hpp, training/executable_model.hpp, training/trainer.hpp.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/resident_tensors.hpp>
#include <repebble/training/trainer.hpp>

#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "support/throws.hpp"
#include "training/budget_between.hpp"
#include "training/tested_cuda.hpp"

using namespace repebble;
using support::tested_cuda;

namespace {

/// What some iterations leave: the loss of each, and the parameters behind all of them.
struct trained_by_cuda {
    std::vector<float> losses{};
    std::vector<std::vector<std::byte>> parameters{};
    friend auto operator==(trained_by_cuda const&, trained_by_cuda const&) -> bool = default;
};

auto train_on_cuda(training::executable_model const& m, training_graph const& weighed, schedule<> const& plan,
                   bool capture, std::uint64_t order) -> trained_by_cuda {
    tested_cuda device(3);
    tested_cuda::set_delays({.seed = order});
    training::resident_tensors tensors(m.model(), device, 5);
    for (std::size_t i = 0; i < m.model().inputs().size(); ++i) {
        auto const size = static_cast<std::size_t>(m.model().inputs()[i].tensor.volume());
        std::vector<float> const numbers(size, 0.5F);
        std::vector<std::int64_t> const indices(size, 1);
        bool const whole = m.model().inputs()[i].tensor.type == networks::element::int64;
        tensors.set_input(i, whole ? std::as_bytes(std::span(indices)) : std::as_bytes(std::span(numbers)));
    }
    training::trainer run(m, device, tensors, bind_schedule(weighed.flow, plan, {.alignment = tested_cuda::alignment}),
                          {.poison = true});
    trained_by_cuda left;
    for (std::uint64_t k = 0; k < 3; ++k) {
        left.losses.push_back(capture && k > 0 ? run.run_captured(k) : run.run(k));
        tensors.step({});
        if (capture && k == 0) REQUIRE_FALSE(run.capture());
        CHECK(run.nanoseconds() > 0);
    }
    left.parameters = tensors.parameters();
    return left;
}

auto weighed_on_cuda(training::executable_model const& m) -> training_graph {
    tested_cuda device;
    return training::weighed(m, training::workspaces_on(device, m));
}

}  // namespace

TEST_CASE("iterations that are launched as one graph leave the bits of those that are not, copies among them",
          "[training][automatic][lanes]") {
    std::size_t copied = 0;
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        training::executable_model const m(net);
        auto const weighed = weighed_on_cuda(m);
        auto const keep = keep_all(weighed);
        auto const expected = train_on_cuda(m, weighed, keep.schedule, false, 0);
        CHECK(train_on_cuda(m, weighed, keep.schedule, true, 0) == expected);
        auto const found = plan(weighed, support::budget_between(weighed, 50),
                                {.limits = {.work = 300}, .arena = true, .link = host_link{.size = 100, .time = 1}});
        if (!found.plan || found.plan->cost.bytes_in == 0) continue;
        ++copied;
        for (std::uint64_t const order : {0U, 1U, 2U})
            CHECK(train_on_cuda(m, weighed, found.plan->schedule, true, order) == expected);
    }
    CHECK(copied >= 2);
}

TEST_CASE("a captured iteration with marks has the times of its steps, and leaves the same bits", "[training]") {
    training::executable_model const m(support::small_networks().front());
    auto const weighed = weighed_on_cuda(m);
    tested_cuda device(3);
    training::resident_tensors tensors(m.model(), device, 5);
    for (std::size_t i = 0; i < m.model().inputs().size(); ++i) {
        auto const& input = m.model().inputs()[i].tensor;
        std::vector<std::byte> const zeros(static_cast<std::size_t>(input.size()));
        tensors.set_input(i, zeros);
    }
    training::trainer run(
        m, device, tensors,
        bind_schedule(weighed.flow, keep_all(weighed).schedule, {.alignment = tested_cuda::alignment}));
    auto const loss = run.run(0);
    auto const gradients = tensors.gradients();
    REQUIRE_FALSE(run.capture(training::capture_marks::yes));
    CHECK(run.run_captured(0) == loss);
    CHECK(tensors.gradients() == gradients);
    auto const& record = run.record();
    CHECK(run.nanoseconds() == record.nanoseconds);
    for (std::size_t i = 0; i < run.plan().step_count(); ++i) {
        CHECK(record.step_nanoseconds[i] >= 0);
        if (run.plan()[i].what == action::compute) CHECK(record.step_nanoseconds[i] > 0);
    }
    REQUIRE_FALSE(run.capture());
    CHECK(run.run_captured(0) == loss);
    CHECK(run.nanoseconds() > 0);
}

TEST_CASE("copies beside computations are timed on their lanes", "[training][automatic][lanes]") {
    std::size_t copies = 0;
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        training::executable_model const m(net);
        auto const weighed = weighed_on_cuda(m);
        auto const found = plan(weighed, support::budget_between(weighed, 50),
                                {.limits = {.work = 300}, .arena = true, .link = host_link{.size = 100, .time = 1}});
        if (!found.plan || found.plan->cost.bytes_in == 0) continue;
        tested_cuda device(3);
        training::resident_tensors tensors(m.model(), device, 5);
        for (std::size_t i = 0; i < m.model().inputs().size(); ++i) {
            auto const size = static_cast<std::size_t>(m.model().inputs()[i].tensor.size());
            tensors.set_input(i, std::vector<std::byte>(size));
        }
        auto const alignment = tested_cuda::alignment;
        training::trainer run(m, device, tensors,
                              bind_schedule(weighed.flow, found.plan->schedule, {.alignment = alignment}));
        static_cast<void>(run.run(0));
        for (std::size_t i = 0; i < run.plan().step_count(); ++i) {
            if (run.plan()[i].what != action::offload && run.plan()[i].what != action::prefetch) continue;
            ++copies;
            CHECK(run.record().spans[i].begin < run.record().spans[i].end);
            CHECK(run.record().spans[i].end <= run.nanoseconds());
        }
    }
    CHECK(copies > 0);
}

TEST_CASE("a capture in which something waits is refused, and the device goes on", "[training]") {
    tested_cuda device;
    auto const memory = device.allocate(pool::device, 64, 64);
    device.begin_capture();
    device.fill(memory.data(), 64, 1);
    CHECK(support::throws<train_cuda::cuda_failure>([&] { return device.finish(), 0; }, {"finish", "captur"}));
    CHECK(support::throws<train_cuda::cuda_failure>([&] { return device.end_capture().get(); },
                                                    {"cudaStreamEndCapture", "captur"}));
    CHECK(cudaGetLastError() == cudaSuccess);
    device.fill(memory.data(), 64, 2);
    CHECK(device.highest_change(memory.data(), 64, 2) == 0);
    CHECK(device.highest_change(memory.data(), 64, 1) == 64);
}
