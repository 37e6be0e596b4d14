#ifndef TRAIN_EVALUATOR_HPP
#define TRAIN_EVALUATOR_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <repebble/execute/executor.hpp>
#include <repebble/training/executable_model.hpp>
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
          addresses_{own_.addresses().inputs, trained.addresses().parameters, {}},
          plan_(
              inference_plan(repebble::training::weighed(model_, repebble::training::workspaces_on(device, model_)))) {}

    /// The share of the images whose greatest score is that of their label.
    [[nodiscard]] auto accuracy(labelled_images const& images) -> double {
        scores_backend backend{this};
        repebble::executor run(plan_, backend);
        std::vector<std::size_t> order(images.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        auto const batch_size = static_cast<std::size_t>(model_.model().inputs()[0].tensor.shape[0]);
        std::size_t right = 0;
        for (std::size_t first = 0; first < images.size(); first += batch_size) {
            auto const inputs = batch_of(model_.model(), images, order, first);
            for (std::size_t i = 0; i < inputs.size(); ++i) own_.set_input(i, inputs[i]);
            run.run();
            auto const classes = scores_.size() / batch_size;
            for (std::size_t k = 0; k < std::min(batch_size, images.size() - first); ++k) {
                auto const row = std::span(scores_).subspan(k * classes, classes);
                auto const best = std::ranges::max_element(row) - row.begin();
                right += best == images.labels[first + k] ? 1U : 0U;
            }
        }
        return static_cast<double>(right) / static_cast<double>(images.size());
    }

  private:
    /// Runs forward operations, and takes the scores as soon as they are there.
    struct scores_backend {
        evaluator* all;
        std::vector<std::unique_ptr<repebble::training::task>> tasks{};
        std::vector<std::pair<std::size_t, repebble::training::placed_tensor>> scores{};

        auto allocate(repebble::pool where, repebble::bytes size, repebble::bytes alignment) {
            return all->device_->allocate(where, size, alignment);
        }
        void prepare(std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
            tasks.resize(i + 1);
            if (s.what != repebble::action::compute || all->model_.only_keeps_order(s.operation)) return;
            auto const call = all->model_.forward(s, memory, all->addresses_);
            // Those of auxiliary classifiers have a prefix.
            if (call.operation->name == "log_softmax") scores.assign(1, {i, call.outputs.front()});
            tasks[i] = all->device_->make(call);
        }
        void compute(std::size_t i, repebble::bound_step const&, repebble::pool_memory const&) {
            if (tasks[i] != nullptr) tasks[i]->run();
            for (auto const& [step, where] : scores) {
                if (step != i) continue;
                all->scores_.resize(static_cast<std::size_t>(where.layout.tensor.volume()));
                all->device_->download(all->scores_.data(), where.storage, where.layout.tensor.size());
            }
        }
        void finish() { all->device_->finish(); }
    };

    repebble::training::executable_model model_;
    Device* device_;
    repebble::training::resident_tensors<Device> own_;
    repebble::training::resident_memory addresses_;
    repebble::bound_schedule plan_;
    std::vector<float> scores_{};
};

}  // namespace train

#endif
