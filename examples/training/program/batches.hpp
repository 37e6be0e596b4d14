#ifndef TRAIN_BATCHES_HPP
#define TRAIN_BATCHES_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/networks/model.hpp>

namespace train {

/// One batch: what every input of a model holds, as it lies in memory.
using batch = std::vector<std::vector<std::byte>>;

/// Batch number `number` of numbers that look random: normal ones for images, indices that the model knows for tokens
/// and labels. Equal numbers and seeds give equal batches.
[[nodiscard]] auto synthetic_batch(repebble::networks::model const& m, std::uint64_t seed, std::uint64_t number)
    -> batch;

/// Images of one channel with a label each.
struct labelled_images {
    std::size_t side = 0;                      ///< height and width
    std::vector<std::vector<float>> images{};  ///< pixels from 0 to 1, row by row
    std::vector<std::int64_t> labels{};

    [[nodiscard]] auto size() const noexcept -> std::size_t { return labels.size(); }
};

/// What is learnt from, and what is kept to test it with.
struct data_set {
    labelled_images train{}, test{};
};

/// Reads lines of pixels from 0 to 16 and a label at the end, with commas between; every fifth line is for testing.
/// Throws repebble::bad_file, naming the line.
[[nodiscard]] auto read_data(std::string const& path) -> data_set;

/// The images in the order `order` from `first` on, as many as a batch of the model has; the last ones are followed by
/// the first.  Requires: they fit the model.
[[nodiscard]] auto batch_of(repebble::networks::model const& m, labelled_images const& from,
                            std::vector<std::size_t> const& order, std::size_t first) -> batch;

/// Throws repebble::bad_graph where the model takes other images or has no such class.
void require_fitting(repebble::networks::model const& m, labelled_images const& images);

/// An order in which to see n images, another one for every epoch.
[[nodiscard]] auto shuffled(std::size_t n, std::uint64_t seed, std::uint64_t epoch) -> std::vector<std::size_t>;

}  // namespace train

#endif
