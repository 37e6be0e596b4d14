#ifndef TRAIN_MEASURE_TIMES_HPP
#define TRAIN_MEASURE_TIMES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// The median time of every operation, of runs of a plan that keeps everything. Parameters are as before when it
/// returns.  Requires: the inputs are there.
template <repebble::training::computing_device Device>
[[nodiscard]] auto measure_times(repebble::training::executable_model const& m, Device& device,
                                 repebble::training::resident_tensors<Device>& tensors,
                                 repebble::bound_schedule keep_all) -> repebble::training::operation_times {
    constexpr std::size_t runs = 7;
    auto const first = tensors.parameters();
    repebble::training::trainer<Device> all(m, device, tensors, std::move(keep_all));
    std::vector<std::vector<double>> samples(all.plan().step_count());
    for (std::size_t k = 0; k <= runs; ++k) {
        static_cast<void>(all.run(0));
        if (k > 0)  // the first run warms up
            for (std::size_t i = 0; i < samples.size(); ++i)
                samples[i].push_back(static_cast<double>(all.record().step_nanoseconds[i]));
    }
    repebble::training::operation_times times;
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (all.plan()[i].what == repebble::action::compute)
            times[m.name(all.plan()[i].operation)] = static_cast<std::int64_t>(median(samples[i]));
    tensors.reset(first);
    return times;
}

}  // namespace train

#endif
