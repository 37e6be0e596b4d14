// Covers training/plain_run.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <repebble/graph/error.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/plain_run.hpp>

#include "support/catch.hpp"
#include "support/small_networks.hpp"
#include "support/throws.hpp"
#include "training/check_model.hpp"
#include "training/devices.hpp"

TEST_CASE("CUDA's device computes what the processor does, where nothing is dropped", "[training]") {
    auto all = support::small_networks();
    all.erase(all.begin() + 2, all.end());  // the others have dropout, of which each device has its own
    all.push_back(repebble::networks::gpt2(
        {.batch = 2, .length = 8, .layers = 2, .features = 16, .heads = 2, .vocabulary = 11, .dropout = 0}));
    all.push_back(repebble::networks::unet({.images = {.batch = 1, .resolution = 44, .classes = 2, .channels = 1},
                                            .width = 4,
                                            .levels = 2,
                                            .drop = false}));
    for (auto const& net : all) {
        CAPTURE(net.name());
        train_cpu::cpu_device processor;
        auto const expected = support::results_of(processor, net, {});
        support::tested_cuda device;
        auto const found = support::results_of(device, net, {});
        REQUIRE(found.size() == expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            auto const count = found[k].size() / sizeof(float);
            std::span const a(reinterpret_cast<float const*>(found[k].data()), count);
            std::span const b(reinterpret_cast<float const*>(expected[k].data()), count);
            double error = 0;
            double largest = 1e-6;
            for (std::size_t i = 0; i < count; ++i) {
                error = std::max(error, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
                largest = std::max(largest, std::abs(static_cast<double>(b[i])));
            }
            CAPTURE(k, largest);
            CHECK(error <= 1e-3 * largest);
        }
    }
}

TEST_CASE("an image of more elements than cuDNN takes is refused by the operation's name", "[training]") {
    using namespace repebble::networks;
    model m("large");
    auto const x = m.add_input("images", {{3000, 8, 128, 128}});
    m.append("wide", convolution{.channels = 64, .window = {.kernel = 1}}, {x});
    repebble::training::executable_model const executable(m, repebble::training::purpose::inference);
    support::tested_cuda device;
    CHECK(support::throws<repebble::bad_graph>([&] { return repebble::training::workspaces_on(device, executable); },
                                               {"wide", "3145728000 elements", "2147483647"}));
}

TEST_CASE("CUDA's device infers what the processor does", "[training]") {
    for (auto const& net : support::small_networks()) {
        CAPTURE(net.name());
        auto const loss_on = [&](auto&& device) {
            repebble::training::plain_run run(device, net, {.training = false});
            run.forward();
            return run.objective();
        };
        CHECK(loss_on(support::tested_cuda()) == Approx(loss_on(train_cpu::cpu_device())).epsilon(1e-4));
    }
}
