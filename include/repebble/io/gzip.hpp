#ifndef REPEBBLE_IO_GZIP_HPP
#define REPEBBLE_IO_GZIP_HPP

// gzip by zlib, for whole texts in memory, and the reading of files that may be compressed. All file readers use
// `read_file`.

#include <filesystem>
#include <string>
#include <string_view>

#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io {

namespace detail {

/// Whether the bytes begin with the magic number of gzip.
[[nodiscard]] inline auto is_gzip(std::string_view data) noexcept -> bool {
    return data.size() >= 2 && data[0] == '\x1f' && data[1] == '\x8b';
}

/// Unpacks gzip data of one or several members.  O(bytes).
/// Throws bad_file, naming the source and the byte, where the data are damaged or truncated or are followed by other
/// data; limit_reached.  Requires: the account is open.
[[nodiscard]] auto gunzip(std::string_view packed, read_account const& account) -> std::string;

/// Packs a text as gzip data, deterministically.  O(bytes).  Throws bad_file where zlib fails.
[[nodiscard]] auto gzip(std::string_view text) -> std::string;

}  // namespace detail

/// The text of a file, unpacked where its first bytes (not its name) are those of gzip data.  O(bytes).
/// Opens the account, and spends two bytes of memory for each that it reads, and four for each that is unpacked: a
/// text has to grow.
/// Throws bad_file where the file does not exist, is a directory, cannot be read or is damaged gzip data;
/// limit_reached.
[[nodiscard]] auto read_file(std::filesystem::path const& path, read_account account = read_account()) -> std::string;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/gzip.ipp>
#endif

#endif
