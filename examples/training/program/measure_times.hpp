#ifndef TRAIN_MEASURE_TIMES_HPP
#define TRAIN_MEASURE_TIMES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/resident_tensors.hpp>
#include <repebble/training/trainer.hpp>

namespace train {

/// 0 of nothing.
[[nodiscard]] inline auto median(std::vector<double> values) -> double {
    if (values.empty()) return 0;
    auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// How steps get to a device: one by one, or all of an iteration at once where it can capture.
enum class launching : std::uint8_t { step_by_step, captured };

/// The median time of every operation, of runs of a plan that keeps everything. Launched step by step, the time of a
/// small operation is that of its launch; captured, times are those of the device, and add up to the median time of the
/// iteration without marks. Where the device cannot capture, step by step. Parameters are as before when it returns.
/// Requires: the inputs are there.
template <repebble::training::computing_device Device>
[[nodiscard]] auto measure_times(repebble::training::executable_model const& m, Device& device,
                                 repebble::training::resident_tensors<Device>& tensors,
                                 repebble::bound_schedule keep_all, launching how = launching::step_by_step)
    -> repebble::training::operation_times {
    using repebble::training::capture_marks;
    constexpr bool can_capture = repebble::training::capturing_device<Device>;
    constexpr std::size_t runs = 7;
    auto const first = tensors.parameters();
    repebble::training::trainer<Device> all(m, device, tensors, std::move(keep_all));
    static_cast<void>(all.run(0));  // warms up
    bool captured = false;
    if constexpr (can_capture) captured = how == launching::captured && !all.capture(capture_marks::yes);
    auto const run = [&] {
        if constexpr (can_capture)
            if (captured) return static_cast<void>(all.run_captured(0));
        static_cast<void>(all.run(0));
    };
    std::vector<std::vector<double>> samples(all.plan().step_count());
    for (std::size_t k = 0; k < runs; ++k) {
        run();
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i].push_back(static_cast<double>(all.record().step_nanoseconds[i]));
    }
    std::vector<double> medians;
    for (auto& s : samples) medians.push_back(median(std::move(s)));
    double mark = 0;  // what each takes
    if constexpr (can_capture)
        if (captured && !all.capture()) {
            std::vector<double> totals;
            for (std::size_t k = 0; k < runs; ++k) {
                run();
                totals.push_back(static_cast<double>(all.nanoseconds()));
            }
            auto const marked = std::accumulate(medians.begin(), medians.end(), 0.0);
            mark = std::max(marked - median(std::move(totals)), 0.0) / static_cast<double>(medians.size());
        }
    repebble::training::operation_times times;
    for (std::size_t i = 0; i < medians.size(); ++i)
        if (all.plan()[i].what == repebble::action::compute)
            times[m.name(all.plan()[i].operation)] = static_cast<std::int64_t>(std::max(medians[i] - mark, 0.0));
    tensors.reset(first);
    return times;
}

}  // namespace train

#endif
