#ifndef TRAIN_EVALUATOR_HPP
#define TRAIN_EVALUATOR_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/execute/executor.hpp>
#include <repebble/training/device_weights.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/model_backend.hpp>
#include <repebble/training/resident_tensors.hpp>

#include "batches.hpp"
#include "planning.hpp"

namespace train {

/// Runs a classifier without training it, on parameters that somebody else trains.
template <repebble::training::computing_device Device>
class evaluator {
  public:
    /// The model must have the parameters of the one to which the resident tensors belong.
    evaluator(repebble::networks::model m, Device& device, repebble::training::resident_tensors<Device> const& trained)
        : model_(std::move(m), repebble::training::purpose::inference),
          device_(&device),
          own_(model_.model(), device),
          addresses_{own_.addresses().inputs, trained.addresses().parameters, {}, trained.addresses().copies},
          plan_(inference_plan(repebble::training::weighed(model_, repebble::training::workspaces_on(device, model_)),
                               repebble::training::alignment_of<Device>)) {}

    /// The share of the images whose greatest score is that of their label.
    [[nodiscard]] auto accuracy(labelled_images const& images) -> double {
        repebble::training::model_backend<Device> backend(model_, *device_, addresses_, scores_operation());
        repebble::executor run(plan_, backend);
        std::vector<std::size_t> order(images.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        auto const batch_size = static_cast<std::size_t>(model_.model().inputs()[0].tensor.shape[0]);
        std::size_t right = 0;
        for (std::size_t first = 0; first < images.size(); first += batch_size) {
            auto const inputs = batch_of(model_.model(), images, order, first);
            for (std::size_t i = 0; i < inputs.size(); ++i) own_.set_input(i, inputs[i]);
            run.run();
            auto const scores = backend.seen();
            auto const classes = scores.size() / batch_size;
            for (std::size_t k = 0; k < std::min(batch_size, images.size() - first); ++k) {
                auto const row = scores.subspan(k * classes, classes);
                auto const best = std::ranges::max_element(row) - row.begin();
                right += best == images.labels[first + k] ? 1U : 0U;
            }
        }
        return static_cast<double>(right) / static_cast<double>(images.size());
    }

  private:
    /// The scores of the main classifier: those of auxiliary ones have a prefix.
    [[nodiscard]] auto scores_operation() const -> std::size_t {
        auto const operations = model_.model().operations();
        auto const at = std::ranges::find(operations, "log_softmax", &repebble::networks::operation::name);
        return static_cast<std::size_t>(at - operations.begin());
    }

    repebble::training::executable_model model_;
    Device* device_;
    repebble::training::resident_tensors<Device> own_;
    repebble::training::resident_memory addresses_;
    repebble::bound_schedule plan_;
};

}  // namespace train

#endif
