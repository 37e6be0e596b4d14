#ifndef GPU_TABLES_SUBJECT_RUN_HPP
#define GPU_TABLES_SUBJECT_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/training/training_graph.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/resident_tensors.hpp>
#include <repebble/training/trainer.hpp>

#include "card.hpp"
#include "program/arguments.hpp"
#include "program/planning.hpp"
#include "settings.hpp"
#include "train_cuda/cuda_device.hpp"

namespace gpu_tables {

using device = train_cuda::cuda_device;
inline constexpr auto alignment = repebble::training::alignment_of<device>;

/// A network with a batch, whose values are of that precision.
[[nodiscard]] auto model_of(subject const& s, repebble::networks::extent batch, train::precision p)
    -> repebble::networks::model;
/// The plan by a strategy, within a number of bytes (nothing: the least), by some seconds of work.  Throws
/// no_plan_fits.
[[nodiscard]] auto plan_by(way const& w, std::optional<repebble::bytes> budget, settings const& how, card const& on,
                           repebble::training::executable_model const& m, repebble::training_graph const& training)
    -> train::placed_plan;
/// The median of the times of some iterations, as many as take half a second.
[[nodiscard]] auto measured_time(settings const& how, repebble::training::trainer<device>& run, bool captured)
    -> std::int64_t;

/// One network in one precision, trained on a card by one plan after the other, from the same parameters and batch.
class subject_run {
  public:
    /// Measures all operations.
    subject_run(settings const& how, card const& on, subject const& s, train::precision p, device& d);

    /// Two rows: with every step launched by itself, and captured. One, with a note, where there is no plan. One
    /// iteration is written to the file `trace`, for Chrome's trace viewer.
    [[nodiscard]] auto rows(way const& w, std::optional<std::string> const& trace) -> nlohmann::json;
    /// Operations by kind and pass: their time beside the least by the card's arithmetic and its memory.
    [[nodiscard]] auto classes() const -> nlohmann::json;

  private:
    /// What one iteration leaves: gradients, parameters (running statistics among them) and the loss.
    struct result {
        std::vector<std::vector<std::byte>> gradients{}, parameters{};
        float loss = 0;
    };
    using trainer = repebble::training::trainer<device>;

    [[nodiscard]] auto plan(way const& w) const -> train::placed_plan;
    void measure(train::placed_plan const& plan, way const& w, std::optional<std::string> const& trace,
                 nlohmann::json row, nlohmann::json& into);
    [[nodiscard]] auto result_of(float loss) const -> result;
    [[nodiscard]] auto first_difference(result const& found) const -> std::string;
    /// The time of all computations of a plan.
    [[nodiscard]] auto computing(repebble::bound_schedule const& plan,
                                 repebble::training::operation_times const& times) const -> std::int64_t;
    [[nodiscard]] auto hidden_share(train::placed_plan const& plan, repebble::training::operation_times const& times,
                                    std::int64_t measured) const -> std::optional<double>;

    settings const& how_;
    card const& card_;
    subject const& subject_;
    train::precision precision_;
    device& device_;
    repebble::training::executable_model model_;
    std::vector<repebble::bytes> workspaces_;
    repebble::training::resident_tensors<device> tensors_;
    std::vector<std::vector<std::byte>> first_;
    repebble::training::operation_times plain_times_{}, times_{};  // launched step by step, and captured
    repebble::training_graph training_{};
    train::placed_plan keep_{};
    std::optional<result> expected_{};  // of keep_all
};

/// Trains with the largest batch that fits on the card, without a plan and with one.
[[nodiscard]] auto largest_batches(settings const& how, card const& on, subject const& s, train::precision p, device& d)
    -> nlohmann::json;

}  // namespace gpu_tables

#endif
