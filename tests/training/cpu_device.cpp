// Covers training/plain_run.hpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <repebble/networks/model.hpp>
#include <repebble/training/plain_run.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"
#include "train_cpu/cpu_device.hpp"
#include "training/check_model.hpp"

using namespace repebble;
using namespace repebble::networks;
using namespace repebble::training;
using support::model_of;

namespace {

using floats = std::vector<float>;
using cpu_run = plain_run<train_cpu::cpu_device>;

/// What a model of one operation makes of what its inputs hold.
struct one_operation {
    train_cpu::cpu_device device{};
    model m;
    cpu_run run;

    one_operation(model made, std::vector<floats> const& inputs, plain_run_options options = {})
        : m(std::move(made)), run(device, m, options) {
        for (std::uint32_t i = 0; i < inputs.size(); ++i)
            if (!inputs[i].empty()) run.write(run.input(i), inputs[i]);
    }
    template <class T = float>
    [[nodiscard]] auto output(std::uint32_t j = 0) -> std::vector<T> {
        return run.contents<T>(run.value(output_of(run.last(), j)));
    }
    [[nodiscard]] auto forward() -> floats {
        run.forward();
        return output();
    }
};

[[nodiscard]] auto bits_of(floats const& x) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> bits(x.size());
    if (!x.empty()) std::memcpy(bits.data(), x.data(), x.size() * sizeof(float));
    return bits;
}

[[nodiscard]] auto ones_dropped(train_cpu::cpu_device& device, std::uint32_t index, std::uint32_t repetition,
                                bool training = true) -> floats {
    auto const m = model_of("dropout", dropout{0.25}, {{{10000}}});
    floats x(10000, 1);
    std::vector<std::uint8_t> mask(x.size());
    forward_call call{&m.operations()[0], index, repetition, training};
    auto const place = [](auto& all, element type) {
        tensor t{{static_cast<extent>(all.size())}, type};
        return placed_tensor{row_major(t), reinterpret_cast<std::byte*>(all.data())};
    };
    call.inputs = {place(x, element::float32)};
    call.outputs = {place(x, element::float32), place(mask, element::boolean)};
    CHECK(device.workspace_of(call) == 0);
    device.make(call)->run();
    CHECK(std::ranges::equal(mask, x, {}, {}, [](float y) { return y != 0 ? 1 : 0; }));
    return x;
}

}  // namespace

TEST_CASE("the processor computes small cases as by hand", "[training]") {
    SECTION("a convolution of one channel slides its filter") {
        one_operation op(model_of("conv", convolution{1, {2}, true}, {{{1, 1, 2, 3}}}), {{1, 2, 3, 4, 5, 6}});
        op.run.write(op.run.parameter(0), floats{1, 10, 100, 1000});
        op.run.write(op.run.parameter(1), floats{0.5F});
        CHECK(op.forward() == floats{5421.5F, 6532.5F});
    }
    SECTION("a transposed convolution spreads each pixel") {
        one_operation op(model_of("conv", convolution{1, {2, 2}, false, true}, {{{1, 1, 1, 2}}}), {{1, 2}});
        op.run.write(op.run.parameter(0), floats{1, 10, 100, 1000});
        CHECK(op.forward() == floats{1, 10, 2, 20, 100, 1000, 200, 2000});
    }
    SECTION("max pool gives the positions of what it takes") {
        one_operation op(model_of("pool", max_pool{{2, 2}}, {{{1, 1, 2, 4}}}), {{1, 5, -3, -2, 4, 2, -1, -9}});
        CHECK(op.forward() == floats{5, -1});
        CHECK(op.output<std::int64_t>(1) == std::vector<std::int64_t>{1, 6});
    }
    SECTION("padding is never the greatest, but counts in an average") {
        one_operation greatest(model_of("pool", max_pool{{3, 3, 1}}, {{{1, 1, 2, 2}}}), {{-1, -2, -3, -4}});
        CHECK(greatest.forward() == floats{-1});
        one_operation mean(model_of("pool", average_pool{{3, 3, 1}}, {{{1, 1, 2, 2}}}), {{-9, -18, -27, -36}});
        CHECK(mean.forward() == floats{-10});
    }
    SECTION("cells of an adaptive pool overlap where they must") {
        one_operation op(model_of("pool", adaptive_average_pool{2}, {{{1, 1, 1, 3}}}), {{1, 2, 4}});
        CHECK(op.forward() == floats{1.5F, 3, 1.5F, 3});
    }
    SECTION("bilinear interpolation aligns corners of pixels") {
        one_operation op(model_of("resize", resize{1, 4}, {{{1, 1, 1, 2}}}), {{0, 4}});
        CHECK(op.forward() == floats{0, 1, 3, 4});
    }
    SECTION("local response norm sums squares, not their mean") {
        one_operation op(model_of("norm", local_response_norm{3, 1, 1, 1}, {{{1, 3, 1, 1}}}), {{1, 2, 0}});
        CHECK(op.forward()[0] == Approx(1.0 / 6));
        CHECK(op.output()[1] == Approx(2.0 / 6));
        CHECK(op.output()[2] == 0);
    }
    SECTION("a row is added to every row") {
        one_operation op(model_of("add", add{}, {{{2, 2}}, {{2}}}), {{1, 2, 3, 4}, {10, 20}});
        CHECK(op.forward() == floats{11, 22, 13, 24});
    }
    SECTION("a linear layer multiplies by the transpose") {
        one_operation op(model_of("linear", linear{2, true}, {{{1, 2}}}), {{1, 2}});
        op.run.write(op.run.parameter(0), floats{1, 10, 100, 1000});
        op.run.write(op.run.parameter(1), floats{0.25F, 0.5F});
        CHECK(op.forward() == floats{21.25F, 2100.5F});
    }
    SECTION("later scores are masked") {
        constexpr auto never = -std::numeric_limits<float>::infinity();
        one_operation op(model_of("mask", causal_mask{}, {{{1, 2, 2}}}), {{1, 2, 3, 4}});
        CHECK(op.forward() == floats{1, never, 3, 4});
    }
    SECTION("parts are concatenated and stacked along the second dimension") {
        one_operation joined(model_of("concat", concat{}, {{{2, 1}}, {{2, 2}}}), {{1, 4}, {2, 3, 5, 6}});
        CHECK(joined.forward() == floats{1, 2, 3, 4, 5, 6});
        one_operation stacked(model_of("stack", stack{}, {{{2, 1}}, {{2, 1}}}), {{1, 3}, {2, 4}});
        CHECK(stacked.forward() == floats{1, 2, 3, 4});
    }
}

TEST_CASE("labels and indices that do not exist are passed over", "[training]") {
    one_operation loss(model_of("loss", nll_loss{}, {{{3, 2}}, {{3}, element::int64}}), {{-1, -2, -3, -4, -5, -6}});
    loss.run.write(loss.run.input(1), std::vector<std::int64_t>{1, -100, 0});
    CHECK(loss.forward() == floats{3.5F});
    CHECK(loss.output(1) == floats{2});
    loss.run.backward();
    CHECK(loss.run.contents<float>(*loss.run.input_gradient(0)) == floats{0, -0.5F, 0, 0, -0.5F, 0});
    loss.run.write(loss.run.input(1), std::vector<std::int64_t>{2, 2, 2});
    CHECK(loss.forward() == floats{0});
    loss.run.backward();
    CHECK(loss.run.contents<float>(*loss.run.input_gradient(0)) == floats(6, 0));

    one_operation table(model_of("table", embedding{2, 2}, {{{3}, element::int64}}), {});
    table.run.write(table.run.input(0), std::vector<std::int64_t>{1, 2, -1});
    table.run.write(table.run.parameter(0), floats{1, 2, 3, 4});
    CHECK(table.forward() == floats{3, 4, 0, 0, 0, 0});
    table.run.backward();
    auto const gradient = table.run.contents<float>(*table.run.parameter_gradient(0));
    CHECK(gradient[0] == 0);
    CHECK(gradient[2] != 0);
}

TEST_CASE("batch norm learns its running statistics in the first run of an iteration", "[training]") {
    train_cpu::cpu_device device;
    auto const m = model_of("norm", batch_norm{.epsilon = 0, .momentum = 0.5}, {{{2, 1, 1, 2}}});
    floats x{1, 2, 3, 6};
    floats y(4), mean{0}, variance{0}, weight{1}, bias{0}, running_mean{1}, running_variance{2};
    auto const at = [](floats& all) { return reinterpret_cast<std::byte*>(all.data()); };
    auto const layouts = layouts_of(m);
    auto const run = [&](std::uint32_t repetition, bool training) {
        forward_call call{&m.operations()[0], 0, repetition, training};
        call.inputs = {{layouts.inputs[0], at(x)}};
        call.outputs = {
            {layouts.outputs[0][0], at(y)}, {layouts.outputs[0][1], at(mean)}, {layouts.outputs[0][2], at(variance)}};
        call.parameters = {at(weight), at(bias), at(running_mean), at(running_variance)};
        auto const size = device.workspace_of(call);
        auto const workspace = device.allocate(pool::device, size, 64);
        call.workspace = {workspace.data(), size};
        device.make(call)->run();
    };
    run(1, true);
    CHECK(running_mean == floats{1});
    CHECK(mean == floats{3});
    CHECK(variance[0] == Approx(3.5));
    run(0, true);
    CHECK(running_mean == floats{2});
    CHECK(running_variance[0] == Approx((2 + 3.5 * 4 / 3) / 2));
    CHECK(y[3] == Approx(3 / std::sqrt(3.5)));
    running_mean = {1};
    running_variance = {4};
    run(0, false);
    CHECK(y == floats{0, 0.5F, 1, 2.5F});
    CHECK(running_mean == floats{1});
}

TEST_CASE("what dropout drops follows from the iteration and the operation", "[training]") {
    train_cpu::cpu_device device(5);
    device.begin_iteration(3);
    auto const first = ones_dropped(device, 7, 0);
    CHECK(ones_dropped(device, 7, 1) == first);
    CHECK(ones_dropped(device, 8, 0) != first);
    device.begin_iteration(4);
    CHECK(ones_dropped(device, 7, 0) != first);
    device.begin_iteration(3);
    CHECK(ones_dropped(device, 7, 0) == first);
    train_cpu::cpu_device other(6);
    other.begin_iteration(3);
    CHECK(ones_dropped(other, 7, 0) != first);
    auto const kept = std::count(first.begin(), first.end(), static_cast<float>(1 / 0.75));
    CHECK(std::abs(static_cast<double>(kept) - 7500) < 300);
    CHECK(ones_dropped(device, 7, 0, false) == floats(10000, 1));
}

TEST_CASE("a task made once follows the iterations", "[training]") {
    one_operation op(model_of("dropout", dropout{0.5}, {{{100}}}), {floats(100, 1)});
    auto const first = op.forward();
    op.device.begin_iteration(1);
    CHECK(op.forward() != first);
    op.device.begin_iteration(0);
    CHECK(op.forward() == first);
}

TEST_CASE("gradients are accumulated and parameters updated", "[training]") {
    train_cpu::cpu_device device;
    floats a{1, 2, 3}, b{10, 20, 30}, sum(3);
    auto const at = [](floats& all) { return reinterpret_cast<std::byte*>(all.data()); };
    device.make(accumulate_call{at(sum), at(a), at(b), 12})->run();
    CHECK(sum == floats{11, 22, 33});
    device.make(accumulate_call{at(a), at(a), at(b), 12})->run();
    CHECK(a == sum);

    floats p{1, 2}, g{0.5F, -1}, v{1, 0};
    device.update(at(p), at(g), at(v), 2, {.rate = 0.5F, .momentum = 0.5F, .decay = 0.25F});
    CHECK(v == floats{1.25F, -0.5F});
    CHECK(p == floats{0.375F, 2.25F});
}

TEST_CASE("calls of equal shapes need equal workspace, and a call without it is refused", "[training]") {
    train_cpu::cpu_device device;
    auto const m = model_of("conv", convolution{8, {3, 1, 1}}, {{{1, 3, 8, 8}}});
    auto const layouts = layouts_of(m);
    floats memory(10000);
    auto const call_at = [&](std::size_t offset) {
        auto* const at = reinterpret_cast<std::byte*>(memory.data() + offset);
        forward_call call{&m.operations()[0]};
        call.inputs = {{layouts.inputs[0], at}};
        call.outputs = {{layouts.outputs[0][0], at}};
        call.parameters = {at};
        return call;
    };
    auto const size = device.workspace_of(call_at(0));
    CHECK(size > 0);
    CHECK(device.workspace_of(call_at(100)) == size);
    CHECK(train_cpu::cpu_device().workspace_of(call_at(3)) == size);
    CHECK(support::throws<precondition_violated>([&] { return device.make(call_at(0)); }, {"workspace"}));
}

TEST_CASE("what the processor cannot do is refused by name", "[training]") {
    train_cpu::cpu_device device;
    auto const m = model_of("wide norm", local_response_norm{.neighbours = 4}, {{{1, 3, 2, 2}}});
    CHECK(support::throws<repebble::error>([&] { return cpu_run(device, m); }, {"wide norm", "neighbours"}));
    auto const numbers = model_of("copied numbers", contiguous{}, {{{3}, element::int64}});
    CHECK(support::throws<repebble::error>([&] { return cpu_run(device, numbers); }, {"copied numbers"}));
    auto const missing = model_of("no input", relu{}, {{{3}}});
    forward_call call{&missing.operations()[0]};
    call.inputs = {{row_major({{3}}), nullptr}};
    call.outputs = call.inputs;
    CHECK(support::throws<repebble::error>([&] { return device.make(call); }, {"no input", "not there"}));
}

TEST_CASE("a relu passes over the same elements forward and backward", "[training]") {
    one_operation op(model_of("relu", relu{}, {{{4}}}), {{-1, 0, 2, -0.0F}});
    CHECK(bits_of(op.forward()) == bits_of({0, 0, 2, 0}));
    op.run.backward();
    auto const g = op.run.contents<float>(*op.run.input_gradient(0));
    CHECK(g[0] == 0);
    CHECK(g[1] == 0);
    CHECK(g[2] != 0);
}
