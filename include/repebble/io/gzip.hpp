#ifndef REPEBBLE_IO_GZIP_HPP
#define REPEBBLE_IO_GZIP_HPP

// gzip by zlib, for whole texts in memory, and the reading of files that may be compressed. All file readers use
// `read_file`.

#include <zlib.h>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace repebble::inline v0::io {

/// Limit on the bytes of a text, unless the caller sets another.
inline constexpr std::size_t default_text_limit = std::size_t{1} << 31;

namespace detail {

/// Limit on the bytes that so many bytes of gzip data may unpack to, unless the caller sets another: a small file can
/// unpack to a huge text, and texts that are read here seldom are 24 times as long as their gzip data.
[[nodiscard]] auto unpacked_limit(std::size_t packed) noexcept -> std::size_t;

/// Whether the bytes begin with the magic number of gzip.
[[nodiscard]] inline auto is_gzip(std::string_view data) noexcept -> bool {
    return data.size() >= 2 && data[0] == '\x1f' && data[1] == '\x8b';
}

/// Unpacks gzip data of one or several members.  O(bytes).
/// Throws bad_file, naming `source` and the byte, where the data are damaged or truncated, are followed by other data,
/// or unpack to more than `limit` bytes (none: `unpacked_limit`).
[[nodiscard]] auto gunzip(std::string_view packed, std::string const& source, std::optional<std::size_t> limit = {})
    -> std::string;

/// Packs a text as gzip data, deterministically.  O(bytes).  Throws bad_file where zlib fails.
[[nodiscard]] auto gzip(std::string_view text) -> std::string;

}  // namespace detail

/// The text of a file, unpacked where its first bytes (not its name) are those of gzip data.  O(bytes).
/// Throws bad_file where the file does not exist, is a directory, cannot be read or is damaged gzip data, or where the
/// text is longer than `limit` bytes (none: `default_text_limit`, and of gzip data `unpacked_limit`).
[[nodiscard]] auto read_file(std::filesystem::path const& path, std::optional<std::size_t> limit = {}) -> std::string;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/gzip.ipp>
#endif

#endif
