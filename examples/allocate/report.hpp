#ifndef ALLOCATE_REPORT_HPP
#define ALLOCATE_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/graph/quantity.hpp>

#include "arguments.hpp"

namespace allocate {

/// A memory with what lies in it.
struct filled_memory {
    memory of;
    repebble::bytes height = 0;  ///< the end of the highest buffer
    std::size_t buffers = 0;
};

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

/// A copy of a buffer from pool to pool.
struct copy {
    std::int64_t time;
    std::string buffer;
    repebble::bytes size;
    std::size_t from, to;  ///< numbers of pools
};

/// What came out with several pools.
struct pools_outcome {
    std::string file;
    std::size_t buffers = 0;
    std::vector<filled_memory> pools;  ///< empty ones where there is no plan
    bool fits = false;
    bool none_exists = false;
    std::optional<std::int64_t> traffic{};      ///< of a graph: bytes moved in all pools but the first
    std::int64_t traffic_bound = 0;             ///< no plan moves less there
    std::optional<std::vector<copy>> copies{};  ///< with --copies
};

/// A few lines for people.
void print_words(outcome const& found, double seconds);
void print_words(pools_outcome const& found, double seconds);
/// One line of JSON.
void print_json(outcome const& found, double seconds);
void print_json(pools_outcome const& found, double seconds);

}  // namespace allocate

#endif
