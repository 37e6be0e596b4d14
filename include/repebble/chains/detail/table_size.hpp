#ifndef REPEBBLE_CHAINS_DETAIL_TABLE_SIZE_HPP
#define REPEBBLE_CHAINS_DETAIL_TABLE_SIZE_HPP

// The limit of memory of the tables of dynamic programs over slots: level_table.hpp, mixed_table.hpp and
// offload_table.hpp check it before they allocate.

#include <cstdint>
#include <string>

#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// Throws bad_weight, naming the table, where rows · bytes_of_row are more than 8 GiB.
inline void check_table_size(std::uint64_t rows, std::uint64_t bytes_of_row, std::string const& table) {
    constexpr std::uint64_t most = 8;
    __extension__ using wide = unsigned __int128;
    constexpr unsigned gibibyte = 30;
    auto const size = wide{rows} * bytes_of_row;
    if (size <= wide{most} << gibibyte) return;
    auto const needed = (size + (wide{1} << gibibyte) - 1) >> gibibyte;  // rounded up
    raise(bad_weight(table + " takes up to " + std::to_string(static_cast<std::uint64_t>(needed)) +
                     " GiB, and more than " + std::to_string(most) + " are not allowed"));
}

}  // namespace repebble::inline v0::detail

#endif
