#ifndef ALLOCATE_REPORT_HPP
#define ALLOCATE_REPORT_HPP

#include <cstddef>
#include <optional>
#include <string>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/graph/quantity.hpp>

namespace allocate {

/// What came out.
struct outcome {
    std::string file;
    std::size_t buffers = 0;
    std::optional<repebble::bytes> capacity;
    repebble::bytes lower_bound = 0;
    repebble::bytes height = 0;
    repebble::offset_proof proof = repebble::offset_proof::none;

    [[nodiscard]] auto fits() const -> bool { return !capacity || height <= *capacity; }
    /// The claim that no plan is lower.
    [[nodiscard]] auto height_least() const -> bool { return proof == repebble::offset_proof::height_least; }
    /// The claim that no plan fits into the capacity.
    [[nodiscard]] auto none_exists() const -> bool { return capacity && lower_bound > *capacity; }
};

/// A few lines for people.
void print_words(outcome const& found, double seconds);
/// One line of JSON.
void print_json(outcome const& found, double seconds);

}  // namespace allocate

#endif
