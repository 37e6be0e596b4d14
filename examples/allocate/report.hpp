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
    /// Whether nothing better can be said: no plan is lower, or with a capacity, it fits or nothing does.
    [[nodiscard]] auto proven() const -> bool {
        return capacity ? fits() || lower_bound > *capacity : proof == repebble::offset_proof::least;
    }
};

/// A few lines for people.
void print_words(outcome const& found, double seconds);
/// One line of JSON.
void print_json(outcome const& found, double seconds);

}  // namespace allocate

#endif
