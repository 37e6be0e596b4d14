#ifndef REPEBBLE_IO_DETAIL_BYTE_ORDER_MARK_HPP
#define REPEBBLE_IO_DETAIL_BYTE_ORDER_MARK_HPP

// The byte-order mark with which some editors and spreadsheets begin a text in UTF-8. All readers of text pass over it
// (that of JSON by itself).

#include <string_view>

namespace repebble::inline v0::io::detail {

/// The text without the mark.
[[nodiscard]] inline auto without_mark(std::string_view text) -> std::string_view {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

}  // namespace repebble::inline v0::io::detail

#endif
