#ifndef TRAIN_BATCH_SOURCE_HPP
#define TRAIN_BATCH_SOURCE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/networks/model.hpp>

#include "arguments.hpp"
#include "batches.hpp"

namespace train {

/// What the iterations of a training run see: a data set in an order that changes with every epoch, or numbers that
/// look random.
class batch_source {
  public:
    /// Both must outlive it.  Throws repebble::bad_file for data that are none, bad_graph where they do not fit.
    batch_source(arguments const& asked, repebble::networks::model const& m);

    /// How many the arguments ask for.
    [[nodiscard]] auto iterations() const -> std::uint64_t;
    /// That of an iteration, for every input of the model.
    [[nodiscard]] auto next(std::uint64_t iteration) -> batch;
    /// What was kept to test with; nullptr without data.
    [[nodiscard]] auto test() const -> labelled_images const* { return data_ ? &data_->test : nullptr; }

  private:
    [[nodiscard]] auto per_epoch() const -> std::uint64_t;
    [[nodiscard]] auto batch_size() const -> std::uint64_t;

    arguments const* asked_;
    repebble::networks::model const* model_;
    std::optional<data_set> data_{};
    std::vector<std::size_t> order_{};
    std::uint64_t epoch_ = 0;
};

}  // namespace train

#endif
