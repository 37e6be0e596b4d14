// Covers training/bfloat16.hpp, training/device_weights.hpp, training/executable_model.hpp, training/plain_run.hpp,
// training/resident_tensors.hpp.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <repebble/networks/by_name.hpp>
#include <repebble/networks/with_values.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/training/bfloat16.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/plain_run.hpp>
#include <repebble/training/resident_tensors.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"
#include "train_cpu/cpu_device.hpp"

using namespace repebble;
using networks::element;
using training::from_bfloat16;
using training::to_bfloat16;

namespace {

/// The processor with copies of parameters, which it does not compute with.
struct copying_cpu : train_cpu::cpu_device {
    static void to_bfloat16(std::byte* to, std::byte const* from, std::int64_t count) {
        auto const* const floats = reinterpret_cast<float const*>(from);
        for (std::int64_t i = 0; i < count; ++i)
            reinterpret_cast<std::uint16_t*>(to)[i] = training::to_bfloat16(floats[i]);
    }
};
static_assert(training::bfloat16_device<copying_cpu>);
static_assert(!training::bfloat16_device<train_cpu::cpu_device>);

auto peak_of(networks::model const& m) -> bytes {
    training::executable_model const all(m);
    return keep_all(all.training()).cost.peak;
}

/// Whether every copy is its parameter, rounded.
auto copies_follow(training::resident_tensors<copying_cpu> const& tensors, networks::model const& m) -> bool {
    auto const values = tensors.parameters();
    for (std::size_t p = 0; p < values.size(); ++p) {
        auto const* const copy = reinterpret_cast<std::uint16_t const*>(tensors.addresses().copies[p]);
        if ((copy != nullptr) != m.parameters()[p].trained) return false;
        if (copy == nullptr) continue;
        auto const* const floats = reinterpret_cast<float const*>(values[p].data());
        for (std::size_t i = 0; i < values[p].size() / 4; ++i)
            if (copy[i] != to_bfloat16(floats[i])) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("floats are rounded to the nearest bfloat16", "[training]") {
    for (float const x : {0.0F, -0.0F, 1.0F, -2.5F, 0x1.FEp127F, std::numeric_limits<float>::infinity()}) {
        CHECK(from_bfloat16(to_bfloat16(x)) == x);
        CHECK(std::signbit(from_bfloat16(to_bfloat16(x))) == std::signbit(x));
    }
    CHECK(from_bfloat16(to_bfloat16(1.0F + 0x1p-8F)) == 1.0F);            // a tie: to the even one
    CHECK(from_bfloat16(to_bfloat16(1.0F + 0x3p-8F)) == 1.0F + 0x1p-6F);  // a tie
    CHECK(from_bfloat16(to_bfloat16(1.0F + 0x1.2p-8F)) == 1.0F + 0x1p-7F);
    CHECK(std::isinf(from_bfloat16(to_bfloat16(std::numeric_limits<float>::max()))));
    CHECK(std::isnan(from_bfloat16(to_bfloat16(std::nanf("1")))));
    std::vector<float> const values{1.5F, -3};
    for (auto const type : {element::float32, element::bfloat16}) {
        std::vector<float> back(2);
        training::from_stored(training::as_stored(values, type).data(), type, back);
        CHECK(back == values);
    }
}

TEST_CASE("a training graph of bfloat16 values has half the bytes", "[training]") {
    for (auto const* name : {"resnet29", "lstm"}) {
        auto const m = networks::by_name(name, {.batch = 4});
        auto const whole = static_cast<double>(peak_of(m));
        auto const half = static_cast<double>(peak_of(networks::with_values(m, element::bfloat16)));
        CAPTURE(name, whole, half);
        CHECK(half / whole >= 0.5);  // positions, masks, statistics stay
        CHECK(half / whole < 0.505);
    }
}

TEST_CASE("sums of gradients are of the type of the value", "[training]") {
    auto const m = networks::with_values(networks::by_name("resnet29", {.batch = 1}), element::bfloat16);
    training::executable_model const all(m);
    auto const& flow = all.training().flow;
    std::size_t sums = 0;
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        if (all.origin(v).pass != pass::accumulate) continue;
        training::detail::imagined_step const alone(flow, v);
        auto const sum = all.accumulate(alone.step(), {.device = training::detail::imagined_address()});
        CHECK(sum.type == element::bfloat16);
        ++sums;
    }
    CHECK(sums > 0);
}

TEST_CASE("copies as bfloat16 follow their parameters", "[training]") {
    auto const m =
        networks::with_values(networks::by_name("resnet11", {.batch = 1, .resolution = 8}), element::bfloat16);
    copying_cpu device;
    training::resident_tensors tensors(m, device, 5);
    CHECK(copies_follow(tensors, m));
    auto const first = tensors.parameters();
    for (std::size_t p = 0; p < first.size(); ++p)
        if (auto* const g = tensors.addresses().gradients[p])
            device.fill(g, m.parameters()[p].tensor.size() / 4 * 3, 0x3F);  // whatever: parameters change
    tensors.step({.rate = 0.5F});
    CHECK(tensors.parameters() != first);
    CHECK(copies_follow(tensors, m));
    tensors.reset(first);
    CHECK(copies_follow(tensors, m));
    training::resident_tensors<copying_cpu> const whole(networks::with_values(m, element::float32), device, 5);
    CHECK(whole.addresses().copies.empty());
}

TEST_CASE("the processor refuses values of bfloat16", "[training]") {
    auto const m =
        networks::with_values(networks::by_name("resnet11", {.batch = 1, .resolution = 8}), element::bfloat16);
    train_cpu::cpu_device device;
    CHECK(support::throws<bad_graph>([&] { return training::resident_tensors(m, device, 5).size(); },
                                     {"resnet11", "bfloat16"}));
    training::executable_model const all(m);
    CHECK(support::throws<train_cpu::cannot_compute>([&] { return training::workspaces_on(device, all); },
                                                     {"stem.conv", "bfloat16"}));
    CHECK(
        support::throws<bad_graph>([&] { return training::plain_run(device, m).overran(); }, {"resnet11", "float32"}));
}
