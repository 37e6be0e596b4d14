#ifndef REPEBBLE_IO_BUFFER_TABLE_HPP
#define REPEBBLE_IO_BUFFER_TABLE_HPP

// Buffers with lifetimes as CSV tables, as in the benchmarks of MiniMalloc (columns id, lower, upper, size): the input
// and output of static allocation.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

/// The buffers of a CSV file, with their names.
struct buffer_table {
    std::vector<std::string> names{};  ///< one of each buffer
    std::vector<buffer> buffers{};     ///< in the order of the lines
    std::vector<std::string>
        pools{};  ///< of each buffer the name of the memory in which it must lie, or empty; or none
    friend auto operator==(buffer_table const&, buffer_table const&) -> bool = default;
};

/// Parses the buffers of a CSV text. The first line names the columns, in any order: a unique `id` (buffer, buffer_id),
/// `lower` (start, begin), `upper`, `size`, and optionally `alignment`, `offset` (a required offset), `gaps` ("3-5
/// 8-9@0:64"), `alias` (the id of the buffer whose alias it is, which may be an alias, too), `pool` (the name of the
/// memory in which it must lie), and `hint`, which is ignored. Lifetimes are half open; where the column is called
/// `end` they include it, and so do gaps. O(characters). Throws bad_file, naming `source` and the line, where the text
/// has another form or a buffer is not valid; limit_reached where the account is spent.
[[nodiscard]] auto parse_buffers(std::string_view text, std::string const& source = "buffers",
                                 read_account account = read_account()) -> buffer_table;

/// The buffers of a CSV file, which may be gzip data.  Throws as `read_file` and `parse_buffers` do.
[[nodiscard]] inline auto read_buffers(std::filesystem::path const& path, read_account account = read_account())
    -> buffer_table {
    return parse_buffers(read_file(path, account), path.string(), account);
}

/// The text that `parse_buffers` reads; with `offsets`, these replace the required ones. Columns with default values
/// only are left out.  Requires: as many names and, where there are any, offsets as buffers; unique names, and
/// pools, without commas or ends of lines, and without blanks, tabs or carriage returns at their ends.
[[nodiscard]] auto to_text(buffer_table const& table, std::span<bytes const> offsets = {}) -> std::string;

/// Writes a CSV file of buffers.  Throws bad_file where it cannot be written.
inline void write_buffers(std::filesystem::path const& path, buffer_table const& table,
                          std::span<bytes const> offsets = {}) {
    write_file(path, to_text(table, offsets));
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/buffer_table.ipp>
#endif

#endif
