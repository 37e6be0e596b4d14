#ifndef REPEBBLE_TRAINING_CHECK_GRADIENTS_HPP
#define REPEBBLE_TRAINING_CHECK_GRADIENTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <repebble/networks/model.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/plain_run.hpp>

namespace repebble::training {

/// How far the gradient of a tensor is from finite differences.
struct gradient_error {
    std::string of{};    ///< name of an input or parameter
    double error = 0;    ///< the largest of an element beyond rounding, as a part of the largest element
    double largest = 0;  ///< element of the gradient

    friend auto operator==(gradient_error const&, gradient_error const&) -> bool = default;
};

namespace detail {

template <computing_device Device>
[[nodiscard]] auto compare_gradient(plain_run<Device>& run, typename plain_run<Device>::storage& of,
                                    typename plain_run<Device>::storage const& gradient, double step)
    -> std::pair<double, double> {
    auto const found = run.template contents<float>(gradient);
    auto const rounding = static_cast<double>(std::numeric_limits<float>::epsilon()) * std::abs(run.objective()) / step;
    auto values = run.template contents<float>(of);
    double error = 0;
    double largest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto const value = values[i];
        auto const objective_at = [&](double x) {
            values[i] = static_cast<float>(x);
            run.write(of, values);
            run.forward();
            return run.objective();
        };
        auto const above = static_cast<float>(value + step);
        auto const below = static_cast<float>(value - step);
        auto const expected =
            (objective_at(above) - objective_at(below)) / (static_cast<double>(above) - static_cast<double>(below));
        values[i] = value;
        error = std::max(error, std::isnan(found[i]) ? HUGE_VAL : std::abs(expected - static_cast<double>(found[i])));
        largest = std::max(largest, std::abs(expected));
    }
    run.write(of, values);
    return {std::max(0.0, error - rounding), largest};
}

}  // namespace detail

/// Compares the gradients that a device computes, of all float32 inputs and trained parameters of a model, with central
/// differences of what it computes forward: of the loss where the last operation gives one number, else of a weighted
/// sum of its elements.  O(elements · model): for small models.
template <computing_device Device>
[[nodiscard]] auto check_gradients(Device& device, networks::model const& m, plain_run_options options = {},
                                   double step = 1e-2) -> std::vector<gradient_error> {
    plain_run<Device> run(device, m, options);
    run.forward();
    run.backward();
    std::vector<gradient_error> all;
    auto const compare = [&](networks::parameter const& p, auto& of, auto const* gradient) {
        if (gradient == nullptr) return;
        auto const [error, largest] = detail::compare_gradient(run, of, *gradient, step);
        all.push_back({p.name, error / std::max(largest, 1e-6), largest});
    };
    for (std::uint32_t i = 0; i < m.inputs().size(); ++i) compare(m.inputs()[i], run.input(i), run.input_gradient(i));
    for (std::uint32_t i = 0; i < m.parameters().size(); ++i)
        compare(m.parameters()[i], run.parameter(i), run.parameter_gradient(i));
    return all;
}

}  // namespace repebble::training

#endif
