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
#include "evaluator.hpp"
#include "measure_times.hpp"
#include "planning.hpp"
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
    training_run(arguments const& asked, Device& device, allocation_counter counter)
        : asked_(asked),
          device_(device),
          counter_(std::move(counter)),
          model_(network_of(asked, asked.sizes)),
          batches_(asked, model_.model()),
          tensors_(model_.model(), device, asked.seed),
          workspaces_(repebble::training::workspaces_on(device, model_)) {
        for (auto const& path : {asked.profile_out, asked.trace_out})
            if (path) repebble::io::write_file(*path, "");  // told now where it cannot be
        report_.network = model_.model().name();
        report_.batch = model_.model().inputs()[0].tensor.shape[0];
        report_.precision = to_string(asked.precision);
        report_.resident = tensors_.size();
        if constexpr (can_capture) report_.captured = false;
    }

    /// Returns the exit status.  Throws no_plan_fits, and repebble::error for what cannot be.
    [[nodiscard]] auto run() -> int {
        std::optional<repebble::training::operation_times> times;
        if (asked_.times_in) times = repebble::networks::read_times(*asked_.times_in).by_name();
        if (asked_.profile_out) {
            times = times_on_device();
            repebble::networks::write_times(*asked_.profile_out, repebble::networks::measured_times(*times));
        }
        auto const training = repebble::training::weighed(model_, workspaces_, times);
        auto keep = keep_everything(asked_, model_.network(), training, alignment);
        auto found =
            plan_as_asked(asked_, model_.network(), training, alignment, keep.bound.size(repebble::pool::device));
        describe(keep, found);
        trainer plan(model_, device_, tensors_, std::move(found.bound), {.poison = asked_.poison});
        report_.reordered = plan.first_reordered();
        if (asked_.compare) compare(std::move(keep.bound), plan);
        iterate(plan);
        if (auto const* const images = batches_.test()) test(*images);
        report_.process_peak = process_peak();
        if (counter_.reserve_used) report_.reserve_used = static_cast<repebble::bytes>(counter_.reserve_used());
        asked_.json ? print_json(report_) : print_text(report_);
        if (asked_.trace_out)
            repebble::io::write_file(
                *asked_.trace_out, repebble::io::chrome_trace(plan.plan(), plan.record(),
                                                              [&](auto const& s) { return model_.name(s.operation); }));
        return report_.compared && !report_.compared->gradients_equal ? gradients_differ : 0;
    }

  private:
    static constexpr int gradients_differ = 4;
    static constexpr std::uint64_t measured_iterations = 2;  // for their peak; the others for time and allocations
    // Capturing takes about as long as some iterations' launches, and the graph's memory comes beside the plan's.
    static constexpr std::uint64_t worth_capturing = 16;

    static constexpr repebble::bytes alignment = repebble::training::alignment_of<Device>;
    static constexpr bool can_capture = repebble::training::capturing_device<Device>;

    using trainer = repebble::training::trainer<Device>;

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
    }

    /// The batch of an iteration becomes the inputs.
    void feed(std::uint64_t iteration) {
        auto const batch = batches_.next(iteration);
        for (std::size_t i = 0; i < batch.size(); ++i) tensors_.set_input(i, batch[i]);
    }

    [[nodiscard]] auto times_on_device() -> repebble::training::operation_times {
        auto keep =
            keep_everything(asked_, model_.network(), repebble::training::weighed(model_, workspaces_), alignment);
        feed(0);
        return measure_times(model_, device_, tensors_, std::move(keep.bound));
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
    /// turn, step by step, for their times.
    void compare(repebble::bound_schedule keep_all, trainer& plan) {
        comparison c;
        auto const first = tensors_.parameters();
        trainer keep(model_, device_, tensors_, std::move(keep_all));
        feed(0);
        auto const loss = keep.run_measured(0).first;
        auto const gradients = tensors_.gradients();
        auto const state = tensors_.parameters();
        auto const check = [&](float found) {
            if (c.first_difference.empty()) c.first_difference = first_difference(gradients, tensors_.gradients());
            if (c.first_difference.empty()) c.first_difference = first_difference(state, tensors_.parameters());
            if (c.first_difference.empty() && !same_bits(loss, found)) c.first_difference = "the loss";
            tensors_.reset(first);
        };
        tensors_.reset(first);
        check(plan.run_measured(0).first);
        capture(plan);
        if (report_.captured == true) check(run(plan, 0));
        c.gradients_equal = c.first_difference.empty();
        for (auto const& g : gradients) c.gradients += g.empty() ? 0U : 1U;
        c.predicted_overhead = ratio(report_.planned_time, report_.keep_all_time) - 1;
        std::vector<double> ratios;
        for (std::size_t k = 0; k < std::max<std::size_t>(asked_.iterations, 3); ++k) {
            static_cast<void>(keep.run(0));
            static_cast<void>(plan.run(0));
            ratios.push_back(ratio(plan.record().nanoseconds, keep.record().nanoseconds));
        }
        c.measured_overhead = median(ratios) - 1;
        tensors_.reset(first);
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
        feed(iteration);
        if (iteration < measured_iterations) {
            auto const [loss, highest] = plan.run_measured(iteration);
            tensors_.step(asked_.step);
            report_.losses.push_back(loss);
            report_.measured_peak = std::max(report_.measured_peak, highest);
            return;
        }
        capture(plan);
        if (counter_.begin) counter_.begin();
        auto const loss = run(plan, iteration);
        tensors_.step(asked_.step);
        device_.finish();
        if (counter_.end) report_.allocations = std::max(report_.allocations.value_or(0), counter_.end());
        report_.losses.push_back(loss);
        nanoseconds_.push_back(static_cast<double>(plan.nanoseconds()));
    }
    void finish_times() {
        if (!nanoseconds_.empty()) report_.measured_time = static_cast<std::int64_t>(median(nanoseconds_));
    }
    void iterate(trainer& plan) {
        for (std::uint64_t k = 0; k < batches_.iterations(); ++k) train_once(plan, k);
        finish_times();
    }
    void test(labelled_images const& images) {
        auto sizes = asked_.sizes;
        sizes.batch = std::min<repebble::networks::extent>(static_cast<repebble::networks::extent>(images.size()), 64);
        evaluator<Device> with(network_of(asked_, sizes), device_, tensors_);
        report_.test_accuracy = with.accuracy(images);
    }

    arguments const& asked_;
    Device& device_;
    allocation_counter counter_;
    repebble::training::executable_model model_;
    batch_source batches_;
    repebble::training::resident_tensors<Device> tensors_;
    std::vector<repebble::bytes> workspaces_;
    bool tried_capture_ = false;
    std::vector<double> nanoseconds_{};
    report report_{};
};

}  // namespace train

#endif
