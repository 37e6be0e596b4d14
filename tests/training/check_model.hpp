#ifndef REPEBBLE_TESTS_TRAINING_CHECK_MODEL_HPP
#define REPEBBLE_TESTS_TRAINING_CHECK_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/networks/model.hpp>
#include <repebble/training/check_gradients.hpp>
#include <repebble/training/plain_run.hpp>

#include "support/catch.hpp"

namespace support {

struct model_check {
    double step = 1e-2;
    double tolerance = 1e-2;
    bool differentiable = true;  ///< false: results are only compared with each other
};

/// The last operation's output, and all gradients.
template <class Device>
[[nodiscard]] auto results_of(Device& device, repebble::networks::model const& m,
                              repebble::training::plain_run_options options) -> std::vector<std::vector<std::byte>> {
    repebble::training::plain_run<Device> run(device, m, options);
    std::vector<std::vector<std::byte>> all;
    for (int times = 0; times < 2; ++times) {
        run.forward();
        all.push_back(run.template contents<std::byte>(run.value(run.last())));
        run.backward();
        for (std::uint32_t i = 0; i < m.inputs().size(); ++i)
            if (auto const* const g = run.input_gradient(i)) all.push_back(run.template contents<std::byte>(*g));
        for (std::uint32_t i = 0; i < m.parameters().size(); ++i)
            if (auto const* const g = run.parameter_gradient(i)) all.push_back(run.template contents<std::byte>(*g));
    }
    CHECK_FALSE(run.overran());
    auto const half = static_cast<std::ptrdiff_t>(all.size() / 2);
    CHECK(std::vector(all.begin(), all.begin() + half) == std::vector(all.begin() + half, all.end()));
    return all;
}

/// Gradients are those of finite differences; results are the same, bit by bit, in place and whatever lay in memory.
template <class Device>
void check_model(Device& device, repebble::networks::model const& m, model_check how = {}) {
    INFO(m.name());
    if (how.differentiable) {
        for (bool const other : {false, true}) {
            auto const found =
                repebble::training::check_gradients(device, m, {.in_place = other, .add_parameters = other}, how.step);
            CHECK_FALSE(found.empty());
            for (auto const& g : found) {
                INFO(g.of << ", largest " << g.largest);
                CHECK(g.largest > 0);
                CHECK(g.error < how.tolerance);
            }
        }
    }
    auto const expected = results_of(device, m, {.rubbish = 1});
    CHECK(results_of(device, m, {.rubbish = 2}) == expected);
    CHECK(results_of(device, m, {.rubbish = 3, .in_place = true}) == expected);
}

/// A model of one operation that reads inputs of the given shapes. `before` makes operands of those.
template <class Kind, class Before>
[[nodiscard]] auto model_of(char const* name, Kind kind, std::vector<repebble::networks::tensor> shapes,
                            Before const& before) -> repebble::networks::model {
    repebble::networks::model m(name);
    std::vector<repebble::networks::operand> reads;
    for (auto& t : shapes) {
        auto const x = m.add_input("input" + std::to_string(reads.size()), std::move(t));
        reads.push_back(before(m, x));
    }
    m.append(name, std::move(kind), std::move(reads));
    return m;
}
template <class Kind>
[[nodiscard]] auto model_of(char const* name, Kind kind, std::vector<repebble::networks::tensor> shapes)
    -> repebble::networks::model {
    return model_of(name, std::move(kind), std::move(shapes), [](auto const&, auto x) { return x; });
}

}  // namespace support

#endif
