#ifndef ALLOCATE_C_HEADER_HPP
#define ALLOCATE_C_HEADER_HPP

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>

#include "contents.hpp"
#include "report.hpp"

namespace allocate {

/// Where the buffers of a table lie.
struct placement {
    std::vector<filled_memory> pools;
    std::vector<std::size_t> pool_of;      ///< of each buffer
    std::vector<repebble::bytes> offsets;  ///< of each buffer, in its pool
};

/// The plan as a header in C99: a size of each pool, a row of each tensor, the order of the steps. Its identifiers
/// begin with the name of the file up to its first dot.  Throws repebble::error where all alignments have no common
/// multiple of 64 bits.
[[nodiscard]] auto c_header(std::string const& file, contents const& placed, placement const& at) -> std::string;

}  // namespace allocate

#endif
