#ifndef TRAIN_RUN_TRAINING_HPP
#define TRAIN_RUN_TRAINING_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <repebble/io/chrome_trace.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/measured_times.hpp>
#include <repebble/networks/with_values.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/resident_tensors.hpp>
#include <repebble/training/trainer.hpp>

#include "arguments.hpp"
#include "batch_source.hpp"
#include "batches.hpp"
#include "command_line/run_program.hpp"
#include "evaluator.hpp"
#include "measure_times.hpp"
#include "memory_trace.hpp"
#include "planning.hpp"
#include "process_memory.hpp"
#include "report.hpp"

namespace train {

/// Counts allocations between `begin` and `end`, which returns how many there were.
struct allocation_counter {
    std::function<void()> begin{};
    std::function<std::size_t()> end{};
    std::function<std::size_t()> reserve_used{};  ///< bytes that were there before and served small needs
};

/// A training run on a device, from the arguments to the report.
template <repebble::training::computing_device Device>
class training_run {
  public:
    training_run(arguments const& asked, Device& device, allocation_counter counter, memory_meter meter = {})
        : nothing_yet_(asked.network),
          asked_(asked),
          device_(device),
          counter_(std::move(counter)),
          meter_(std::move(meter)),
          model_(network_of(asked, asked.sizes), repebble::training::purpose::training, place_of_gradients(asked)),
          batches_(asked, model_.model()),
          workspaces_(repebble::training::workspaces_on(device, model_)) {
        report_.network = model_.model().name();
        report_.batch = model_.model().inputs()[0].tensor.shape[0];
        report_.precision = to_string(asked.precision);
        report_.resident = tensors::size_of(model_.model(), place_of_gradients(asked));
        report_.planned_gradients = asked.plan_gradients;
        if constexpr (can_capture) report_.captured = false;
    }

    /// Returns the exit status.  Throws no_plan_fits, and repebble::error for what cannot be.
    [[nodiscard]] auto run() -> int {
        std::optional<repebble::training::operation_times> times;
        if (asked_.times_in) times = repebble::networks::read_times(*asked_.times_in).by_name();
        nothing_yet_.reset();
        if (asked_.profile_out) {
            times = times_on_device();
            repebble::networks::write_times(*asked_.profile_out, repebble::networks::measured_times(*times));
        }
        auto const training = repebble::training::weighed(model_, workspaces_, times);
        auto keep = keep_everything(asked_, model_.network(), training, alignment);
        auto const before = restart_meter();
        tensors_.emplace(model_.model(), device_, asked_.seed, place_of_gradients(asked_));
        auto const beside = asked_.all ? report_.resident : 0;
        auto const budget = budget_as_asked(asked_, keep.bound.size(repebble::pool::device) + beside);
        if (asked_.all) {
            report_.budget_of_all = budget;
            if (before) report_.of_program = memory_of_program(keep, *before);
        }
        std::optional<trainer> made;
        std::optional<placed_plan> found;
        bool const half_duplex = asked_.automatic.link && asked_.automatic.link->half_duplex;
        auto const make_trainer = [&] {
            made.reset();
            tensors_.reset();
            tensors_.emplace(model_.model(), device_, asked_.seed, place_of_gradients(asked_));
            made.emplace(model_, device_, *tensors_, found->bound,
                         repebble::executor_options{.poison = asked_.poison, .half_duplex = half_duplex});
        };
        for (int tries = 0; tries < 5; ++tries) {
            made.reset();
            found = asked_.schedule_in ? given_plan(asked_, training, alignment)
                                       : plan_as_asked(asked_, model_.network(), training, alignment,
                                                       budget_of_arena(budget, beside, report_.of_program));
            static_cast<void>(restart_meter());  // what the planner used is given back
            make_trainer();
            if (!asked_.all || !before || !budget) break;
            auto const above = memory_of_iteration(*made) - *before - *budget;
            make_trainer();  // with the first parameters
            if (above <= 0) break;
            report_.of_program += above + (repebble::bytes{1} << 20U);
        }
        describe(keep, *found);
        auto& plan = *made;
        report_.reordered = plan.first_reordered();
        if (asked_.compare) {
            compare(std::move(keep.bound), plan);
            static_cast<void>(restart_meter());  // keep_all's arena is gone
        }
        iterate(plan);
        if (before) report_.system_peak = meter_.peak() - *before;
        if (auto const* const images = batches_.test()) test(*images);
        report_.process_peak = std::max(report_.process_peak, process_peak());
        if (counter_.reserve_used) report_.reserve_used = static_cast<repebble::bytes>(counter_.reserve_used());
        return command_line::attempt_each(
            report_.compared && !report_.compared->gradients_equal ? gradients_differ : 0,
            [&] { asked_.json ? print_json(report_) : print_text(report_); },
            [&] {
                auto const name = [&](auto v) { return model_.name(v); };
                if (asked_.trace_out && names_memory_trace(*asked_.trace_out))
                    write_memory_trace(*asked_.trace_out, report_.network, training, found->plan.schedule,
                                       times ? nullptr : &plan.record(), name);
                else if (asked_.trace_out)
                    repebble::io::write_file(*asked_.trace_out, repebble::io::chrome_trace_text(
                                                                    plan.plan(), plan.record(),
                                                                    [&](auto const& s) { return name(s.operation); }));
            });
    }

  private:
    static constexpr int gradients_differ = 4;
    static constexpr std::uint64_t measured_iterations = 2;  // for their peak; the others for time and allocations
    // Capturing takes about as long as some iterations' launches, and the graph's memory comes beside the plan's.
    static constexpr std::uint64_t worth_capturing = 16;

    static constexpr repebble::bytes alignment = repebble::training::alignment_of<Device>;
    static constexpr bool can_capture = repebble::training::capturing_device<Device>;

    using trainer = repebble::training::trainer<Device>;
    using tensors = repebble::training::resident_tensors<Device>;

    [[nodiscard]] static auto place_of_gradients(arguments const& asked) -> repebble::training::gradient_place {
        using repebble::training::gradient_place;
        return asked.plan_gradients ? gradient_place::in_plan : gradient_place::beside_plan;
    }

    [[nodiscard]] static auto network_of(arguments const& asked, repebble::networks::sizes const& sizes)
        -> repebble::networks::model {
        auto made = repebble::networks::by_name(asked.network, sizes);
        if (asked.precision != precision::bf16) return made;
        return repebble::networks::with_values(made, repebble::networks::element::bfloat16);
    }
    void describe(placed_plan const& keep, placed_plan const& plan) {
        report_.strategy = plan.strategy;
        report_.keep_all_peak = keep.bound.size(repebble::pool::device);
        report_.keep_all_time = keep.plan.cost.time;
        report_.replayed_peak = plan.plan.cost.peak;
        report_.planned_peak = plan.bound.size(repebble::pool::device);
        report_.planned_time = plan.plan.cost.time;
        report_.recomputations = plan.plan.cost.recomputations;
        report_.proof = plan.proof;
        if (asked_.automatic.link)
            report_.copied = copies{.planned_host = plan.bound.size(repebble::pool::host),
                                    .out = plan.plan.cost.bytes_out,
                                    .in = plan.plan.cost.bytes_in};
    }

    /// Memory in use, from which on the meter counts.
    [[nodiscard]] auto restart_meter() -> std::optional<repebble::bytes> {
        report_.process_peak = std::max(report_.process_peak, process_peak());
        return meter_.restart ? meter_.restart() : std::nullopt;
    }
    /// What the process has beside tensors and arena when every operation is ready to run: code and tables of the
    /// device's library.
    [[nodiscard]] auto memory_of_program(placed_plan const& keep, repebble::bytes before) -> repebble::bytes {
        trainer const ready(model_, device_, *tensors_, keep.bound);
        auto const now = meter_.restart().value_or(before);  // nobody has touched the arena
        return std::max<repebble::bytes>(now - before - report_.resident, 0);
    }
    /// Most memory of the process during an iteration, and while the next batch comes.
    [[nodiscard]] auto memory_of_iteration(trainer& plan) -> repebble::bytes {
        feed(*tensors_, 0);
        static_cast<void>(plan.run_measured(0));
        feed(*tensors_, 1);
        return meter_.peak();
    }
    /// The batch of an iteration becomes the inputs.
    void feed(tensors& to, std::uint64_t iteration) {
        auto const batch = batches_.next(iteration);
        for (std::size_t i = 0; i < batch.size(); ++i) to.set_input(i, batch[i]);
    }
    [[nodiscard]] auto gradients_of(trainer const& t) const {
        return asked_.plan_gradients ? tensors_->read(t.gradients()) : tensors_->gradients();
    }
    void step(trainer const& t) {
        asked_.plan_gradients ? tensors_->step(asked_.step, t.gradients()) : tensors_->step(asked_.step);
    }

    [[nodiscard]] auto times_on_device() -> repebble::training::operation_times {
        auto keep =
            keep_everything(asked_, model_.network(), repebble::training::weighed(model_, workspaces_), alignment);
        tensors own(model_.model(), device_, asked_.seed, place_of_gradients(asked_));
        feed(own, 0);
        auto const how = can_capture && wants_capture() ? launching::captured : launching::step_by_step;
        return measure_times(model_, device_, own, std::move(keep.bound), how);
    }

    [[nodiscard]] auto wants_capture() const -> bool {
        if (asked_.capture != capture_choice::automatic) return asked_.capture == capture_choice::on;
        return !asked_.trace_out && batches_.iterations() >= worth_capturing;
    }
    /// Has the plan, which ran before, captured, where that is wanted: tried once, with a note where it cannot be.
    void capture(trainer& plan) {
        if constexpr (can_capture) {
            if (std::exchange(tried_capture_, true) || !wants_capture()) return;
            auto const why = plan.capture();
            report_.captured = !why;
            if (why) fmt::print(stderr, "note: no CUDA graph, every step is launched by itself: {}\n", *why);
        }
    }
    /// Captured if it is.
    [[nodiscard]] auto run(trainer& plan, std::uint64_t iteration) -> float {
        if constexpr (can_capture)
            if (report_.captured == true) return plan.run_captured(iteration);
        return plan.run(iteration);
    }

    /// From the same parameters and the same batch, keep_all and the plan, captured too if it is to be; then both in
    /// turn for their times, both captured if they can be.
    void compare(repebble::bound_schedule keep_all, trainer& plan) {
        comparison c;
        auto const first = tensors_->parameters();
        trainer keep(model_, device_, *tensors_, std::move(keep_all));
        feed(*tensors_, 0);
        auto const loss = keep.run_measured(0).first;
        auto const gradients = gradients_of(keep);
        auto const state = tensors_->parameters();
        auto const check = [&](float found) {
            if (c.first_difference.empty()) c.first_difference = first_difference(gradients, gradients_of(plan));
            if (c.first_difference.empty()) c.first_difference = first_difference(state, tensors_->parameters());
            if (c.first_difference.empty() && !same_bits(loss, found)) c.first_difference = "the loss";
            tensors_->reset(first);
        };
        tensors_->reset(first);
        check(plan.run_measured(0).first);
        capture(plan);
        if (report_.captured == true) check(run(plan, 0));
        c.gradients_equal = c.first_difference.empty();
        for (auto const& g : gradients) c.gradients += g.empty() ? 0U : 1U;
        c.predicted_overhead = ratio(report_.planned_time, report_.keep_all_time) - 1;
        bool captured = false;
        if constexpr (can_capture) captured = report_.captured == true && !keep.capture();
        auto const time_of = [&](trainer& t) {
            captured ? run(t, 0) : t.run(0);
            return t.nanoseconds();
        };
        std::vector<double> ratios;
        for (std::size_t k = 0; k < std::max<std::size_t>(asked_.iterations, 3); ++k) {
            auto const without_plan = time_of(keep);
            ratios.push_back(ratio(time_of(plan), without_plan));
        }
        c.measured_overhead = median(ratios) - 1;
        tensors_->reset(first);
        report_.compared = c;
    }
    [[nodiscard]] static auto ratio(std::int64_t a, std::int64_t b) -> double {
        return b == 0 ? 1 : static_cast<double>(a) / static_cast<double>(b);
    }
    [[nodiscard]] static auto same_bits(float a, float b) -> bool {
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    }
    [[nodiscard]] auto first_difference(std::vector<std::vector<std::byte>> const& a,
                                        std::vector<std::vector<std::byte>> const& b) const -> std::string {
        for (std::size_t p = 0; p < a.size(); ++p)
            if (a[p] != b[p]) return model_.model().parameters()[p].name;
        return {};
    }

    /// One iteration, with a step at its end.
    void train_once(trainer& plan, std::uint64_t iteration) {
        feed(*tensors_, iteration);
        if (iteration < measured_iterations) {
            auto const [loss, highest] = plan.run_measured(iteration);
            step(plan);
            report_.losses.push_back(loss);
            report_.measured_peak = std::max(report_.measured_peak, highest.device);
            if (report_.copied) report_.copied->measured_host = std::max(report_.copied->measured_host, highest.host);
            return;
        }
        capture(plan);
        if (counter_.begin) counter_.begin();
        auto const loss = run(plan, iteration);
        step(plan);
        device_.finish();
        if (counter_.end) report_.allocations = std::max(report_.allocations.value_or(0), counter_.end());
        report_.losses.push_back(loss);
        nanoseconds_.push_back(static_cast<double>(plan.nanoseconds()));
    }
    void finish_times() {
        if (!nanoseconds_.empty()) report_.measured_time = static_cast<std::int64_t>(median(nanoseconds_));
    }
    void iterate(trainer& plan) {
        for (std::uint64_t k = 0; k < batches_.iterations() && (k == 0 || !command_line::interrupted()); ++k)
            train_once(plan, k);
        finish_times();
    }
    void test(labelled_images const& images) {
        auto sizes = asked_.sizes;
        sizes.batch = std::min<repebble::networks::extent>(static_cast<repebble::networks::extent>(images.size()), 64);
        evaluator<Device> with(network_of(asked_, sizes), device_, *tensors_);
        report_.test_accuracy = with.accuracy(images);
    }

    std::optional<command_line::before_results> nothing_yet_;  // until all files are read
    arguments const& asked_;
    Device& device_;
    allocation_counter counter_;
    memory_meter meter_;
    repebble::training::executable_model model_;
    batch_source batches_;
    std::vector<repebble::bytes> workspaces_;
    std::optional<tensors> tensors_{};
    bool tried_capture_ = false;
    std::vector<double> nanoseconds_{};
    report report_{};
};

}  // namespace train

#endif
