#ifndef REPEBBLE_IO_PARSE_JSON_HPP
#define REPEBBLE_IO_PARSE_JSON_HPP

// Strict JSON: the parser behind every file of this room, for formats of the caller's own.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io {

/// Parses a JSON text.  O(characters · log of the longest object).
/// Throws bad_file, naming `source` and line and byte or the path of the field, where the text is not JSON, goes on
/// after its end, has a number beyond the range of double, repeats a field in one object, or is nested deeper than 100;
/// limit_reached where the account is spent.
[[nodiscard]] auto parse_json(std::string_view text, std::string const& source = "JSON",
                              read_account account = read_account()) -> nlohmann::json;

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/parse_json.ipp>
#endif

#endif
