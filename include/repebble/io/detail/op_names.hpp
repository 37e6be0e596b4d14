#ifndef REPEBBLE_IO_DETAIL_OP_NAMES_HPP
#define REPEBBLE_IO_DETAIL_OP_NAMES_HPP

// Comparison of operations' names, ignoring case. network_in_place.hpp and network_mirror.hpp classify nodes by it.

#include <algorithm>
#include <span>
#include <string_view>

namespace repebble::inline v0::io::detail {

/// Whether an operation has one of these names (in lower case), ignoring case.
[[nodiscard]] constexpr auto is_called(std::string_view op, std::span<std::string_view const> names) -> bool {
    auto const same = [](char name, char c) {
        return name == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    };
    return std::ranges::any_of(names, [&](auto name) { return std::ranges::equal(name, op, same); });
}

}  // namespace repebble::inline v0::io::detail

#endif
