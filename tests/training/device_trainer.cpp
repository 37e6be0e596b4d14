// Covers training/device_weights.hpp, training/planned_gradients.hpp, training/random_numbers.hpp,
// training/resident_tensors.hpp, training/trainer.hpp.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/copy_threads.hpp>
#include <repebble/networks/with_values.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>
#include <repebble/training/bfloat16.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/random_numbers.hpp>
#include <repebble/training/resident_tensors.hpp>
#include <repebble/training/trainer.hpp>

#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "training/budget_between.hpp"
#include "training/devices.hpp"

using namespace repebble;
using training::executable_model;

namespace {

/// What one iteration leaves: gradients, parameters (running statistics among them), those after a step, and the loss.
struct trained {
    std::vector<std::vector<std::byte>> gradients{}, parameters{}, stepped{};
    float loss = 0;
    friend auto operator==(trained const&, trained const&) -> bool = default;
};

/// Bytes at the end that nobody need write: a library's workspaces are not always full. `of_processor`: oneDNN's.
template <class Device>
constexpr auto slack_of([[maybe_unused]] bytes of_processor) -> bytes {
    if constexpr (requires { Device::slack; }) return Device::slack;
    return of_processor;
}

/// `slack`: of the processor.
template <class Device>
auto train_once(executable_model const& m, schedule<> const& plan, training_graph const& weighed, bytes slack = 0,
                copy_delays const& delays = {}) -> trained {
    Device device(3);
    device.set_delays(delays);
    using training::gradient_place;
    auto const where = m.plans_gradients() ? gradient_place::in_plan : gradient_place::beside_plan;
    training::resident_tensors tensors(m.model(), device, 5, where);
    for (std::size_t i = 0; i < m.model().inputs().size(); ++i) {
        auto const& input = m.model().inputs()[i].tensor;
        training::random_numbers const random(i + 1);
        std::vector<float> pixels(static_cast<std::size_t>(input.volume()));
        for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = static_cast<float>(random.normal(k));
        std::vector<std::int64_t> const indices(pixels.size(), 1);
        bool const whole = input.type == networks::element::int64;
        auto const stored = whole ? std::vector<std::byte>{} : training::as_stored(pixels, input.type);
        tensors.set_input(i, whole ? std::as_bytes(std::span(indices)) : std::span(stored));
    }
    training::trainer run(m, device, tensors,
                          bind_schedule(weighed.flow, plan, {.alignment = training::alignment_of<Device>}),
                          {.poison = true});
    auto const first = tensors.parameters();
    auto const before = run.run_measured(6).second;  // two patterns: the last byte may be as one of them
    tensors.reset(first);
    auto const [loss, highest] = run.run_measured(7);
    auto const unwritten = run.plan().size(pool::device) - std::max(before.device, highest.device);
    CHECK(unwritten >= 0);
    CHECK(unwritten <= slack_of<Device>(slack));
    CHECK(std::max(before.host, highest.host) == run.plan().size(pool::host));
    tensors.reset(first);
    CHECK(run.run(7) == loss);  // with poison
    CHECK(run.first_reordered().empty());
    trained left{.parameters = tensors.parameters(), .loss = loss};
    if (m.plans_gradients()) {
        left.gradients = tensors.read(run.gradients());
        tensors.step({.decay = 0.01F}, run.gradients());
    } else {
        left.gradients = tensors.gradients();
        tensors.step({.decay = 0.01F});
    }
    left.stepped = tensors.parameters();
    return left;
}

/// The same computations, but that every third value waits in the host pool until it is read again.
auto with_copies(dataflow const& flow, schedule<> const& plan) -> schedule<> {
    schedule<> out;
    std::vector<bool> away(flow.value_count(), false);
    auto const on = [&](action what, value_index value) {
        auto const [u, j] = flow.as_output(value);
        out.steps.push_back({.what = what, .output = j, .vertex = u});
    };
    for (auto const& s : plan.steps) {
        if (s.what == action::compute)
            for (auto const value : flow.reads(s.vertex))
                if (away[value]) {
                    on(action::prefetch, value);
                    away[value] = false;
                }
        out.steps.push_back(s);
        if (s.what != action::compute) continue;
        for (auto const value : flow.writes(s.vertex)) {
            auto const readers = flow.readers(value);
            auto const makes_view = [&](operation_index v) {
                return std::ranges::any_of(flow.writes(v), [&](value_index made) { return flow.is_view(made); });
            };
            if (value % 3 != 0 || flow.is_view(value) || flow.size(value) == 0 || readers.empty()) continue;
            if (std::ranges::any_of(readers, makes_view)) continue;
            on(action::offload, value);
            on(action::discard, value);
            away[value] = true;
        }
    }
    return out;
}

template <class Device>
auto weighed_on(executable_model const& m) -> training_graph {
    Device device;
    return training::weighed(m, training::workspaces_on(device, m));
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("whatever the plan, an iteration leaves the same bits", "[training]", support::devices) {
    for (auto const& net : support::small_networks()) {
        executable_model const m(net);
        auto const weighed = weighed_on<TestType>(m);
        auto const keep = keep_all(weighed).schedule;
        auto const expected = train_once<TestType>(m, keep, weighed);
        CAPTURE(net.name());
        CHECK(expected.loss > 0);
        CHECK(train_once<TestType>(m, sqrt_segments(weighed).schedule, weighed) == expected);
        CHECK(train_once<TestType>(m, forget_all(weighed).schedule, weighed) == expected);
        auto const copied = with_copies(weighed.flow, keep);
        REQUIRE(copied.steps.size() > keep.steps.size());
        CHECK(train_once<TestType>(m, copied, weighed) == expected);
    }
}

TEST_CASE("whatever strategy made the plan, an iteration leaves the same bits", "[training]") {
    using cpu = train_cpu::cpu_device;
    for (auto const& net : support::small_networks()) {
        executable_model const m(net);
        auto const weighed = weighed_on<cpu>(m);
        auto const expected = train_once<cpu>(m, keep_all(weighed).schedule, weighed);
        CAPTURE(net.name());
        for (std::size_t const kept : {1U, 2U})
            CHECK(train_once<cpu>(m, segment_recursive(weighed, {.kept = kept}).schedule, weighed) == expected);
        auto const to_three = [&](operation_index v) { return weighed.flow.recomputable(v) ? v % 4 : 0; };
        CHECK(train_once<cpu>(m, mirror(weighed, to_three).schedule, weighed, 4096) == expected);
        auto const cheap = drop_cheap(weighed, [&](operation_index v) { return v % 3 > 0; });
        CHECK(train_once<cpu>(m, cheap.schedule, weighed, 4096) == expected);
        segment_options segments{.keep_expensive = true};
        for (auto const where : {cut_points::articulation, cut_points::narrow_places}) {
            segments.candidates.where = where;
            CHECK(train_once<cpu>(m, segment_plan(weighed, {}, segments)->schedule, weighed, 4096) == expected);
        }
        auto const half = keep_all(weighed).cost.peak / 2;
        CHECK(train_once<cpu>(m, chain_plan(weighed, half, {.nearest = true})->schedule, weighed) == expected);
    }
}

TEMPLATE_LIST_TEST_CASE("a plan of the automatic planner leaves the same bits", "[training][automatic]",
                        support::devices) {
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        executable_model const m(net);
        auto const weighed = weighed_on<TestType>(m);
        auto const keep = keep_all(weighed);
        auto const expected = train_once<TestType>(m, keep.schedule, weighed);
        std::size_t plans = 0;
        for (bytes const hundredths : {80, 40}) {
            auto const budget = support::budget_between(weighed, hundredths);
            auto const found = plan(weighed, budget, {.limits = {.seconds = 0.2}, .arena = true});
            if (!found.plan) continue;
            ++plans;
            CHECK(found.plan->cost.peak <= budget);
            CHECK(found.plan->cost.recomputations > 0);
            CHECK(train_once<TestType>(m, found.plan->schedule, weighed, 4096) == expected);
        }
        CHECK(plans > 0);
    }
}

TEMPLATE_LIST_TEST_CASE(
    "plans over a link leave the same bits, whatever delays their copies, and both peaks are those planned",
    "[training][automatic][lanes][long]", support::devices) {
    std::size_t copied = 0;
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        executable_model const m(net);
        auto const weighed = weighed_on<TestType>(m);
        auto const keep = keep_all(weighed);
        auto const expected = train_once<TestType>(m, keep.schedule, weighed);
        for (bytes const hundredths : {80, 50}) {
            auto const found =
                plan(weighed, support::budget_between(weighed, hundredths),
                     {.limits = {.work = 300}, .arena = true, .link = host_link{.size = 100, .time = 1}});
            if (!found.plan) continue;
            copied += found.plan->cost.bytes_in > 0 ? 1 : 0;
            CHECK(train_once<TestType>(m, found.plan->schedule, weighed, 4096) == expected);
            // One seed here; `lanes_tsan` tries more.
            CHECK(train_once<TestType>(m, found.plan->schedule, weighed, 4096,
                                       {.seed = 1, .most = std::chrono::microseconds(50)}) == expected);
        }
    }
    CHECK(copied >= 4);
}

TEMPLATE_LIST_TEST_CASE("gradients of parameters that are results of the plan are the same bits",
                        "[training][automatic][long]", support::devices) {
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        executable_model const beside(net);
        auto const without = weighed_on<TestType>(beside);
        auto const expected = train_once<TestType>(beside, keep_all(without).schedule, without);
        executable_model const m(net, training::purpose::training, training::gradient_place::in_plan);
        auto const weighed = weighed_on<TestType>(m);
        auto const trained_parameters =
            std::ranges::count_if(net.parameters(), [](auto const& p) { return p.trained; });
        CHECK(std::ssize(weighed.flow.results()) == trained_parameters);
        auto const keep = keep_all(weighed);
        CHECK(train_once<TestType>(m, keep.schedule, weighed) == expected);
        auto const budget = support::budget_between(weighed, 90);
        auto const found = plan(weighed, budget, {.limits = {.work = 1000}, .arena = true});
        REQUIRE(found.plan);
        CHECK(found.plan->cost.peak <= budget);
        CHECK(train_once<TestType>(m, found.plan->schedule, weighed, 4096) == expected);
    }
}

TEST_CASE("gradients that are computed again leave the same bits", "[training][automatic]") {
    using cpu = train_cpu::cpu_device;
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        executable_model const m(net);
        auto const weighed = weighed_on<cpu>(m);
        auto const keep = keep_all(weighed).schedule;
        std::vector<operation_index> twice;
        for (auto const& s : keep.steps) {
            if (s.what != action::compute) continue;
            twice.push_back(s.vertex);
            if (weighed.origin[s.vertex].pass != pass::forward && weighed.flow.recomputable(s.vertex))
                twice.push_back(s.vertex);
        }
        REQUIRE(twice.size() > weighed.flow.operation_count() * 5 / 4);
        CHECK(train_once<cpu>(m, make_schedule(weighed.flow, twice), weighed) == train_once<cpu>(m, keep, weighed));
    }
}

#ifdef REPEBBLE_TESTS_CUDA
namespace {

/// The cosine of the angle between all gradients of two iterations.
auto alike(trained const& a, trained const& b) -> double {
    double product = 0;
    double of_a = 0;
    double of_b = 0;
    for (std::size_t p = 0; p < a.gradients.size(); ++p)
        for (std::size_t i = 0; i < a.gradients[p].size() / 4; ++i) {
            double const x = reinterpret_cast<float const*>(a.gradients[p].data())[i];
            double const y = reinterpret_cast<float const*>(b.gradients[p].data())[i];
            product += x * y;
            of_a += x * x;
            of_b += y * y;
        }
    return product / std::sqrt(of_a * of_b);
}

}  // namespace

TEST_CASE("whatever the plan, an iteration of bfloat16 values leaves the same bits, near those of float32",
          "[training]") {
    for (auto const& whole : support::small_networks()) {
        executable_model const m(networks::with_values(whole, networks::element::bfloat16));
        CAPTURE(whole.name());
        auto const weighed = weighed_on<support::tested_cuda>(m);
        auto const keep = keep_all(weighed).schedule;
        auto const expected = train_once<support::tested_cuda>(m, keep, weighed);
        executable_model const in_floats(whole);
        auto const floats = weighed_on<support::tested_cuda>(in_floats);
        auto const near_by = train_once<support::tested_cuda>(in_floats, keep_all(floats).schedule, floats);
        CHECK(expected.loss == Approx(near_by.loss).epsilon(0.02));
        CHECK(alike(expected, near_by) > 0.98);
        CHECK(train_once<support::tested_cuda>(m, forget_all(weighed).schedule, weighed) == expected);
        CHECK(train_once<support::tested_cuda>(m, with_copies(weighed.flow, keep), weighed) == expected);
    }
}
#endif
