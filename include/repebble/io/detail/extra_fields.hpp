#ifndef REPEBBLE_IO_DETAIL_EXTRA_FIELDS_HPP
#define REPEBBLE_IO_DETAIL_EXTRA_FIELDS_HPP

// The check of unknown fields that readers keep and writers write back.

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace repebble::inline v0::io::detail {

/// Returns the fault of the extra fields of a file, "" where they are valid: they must be a JSON object without any of
/// the fields `known`, for which there are members.
[[nodiscard]] inline auto fault_of_extra(nlohmann::json const& extra, std::span<std::string_view const> known)
    -> std::string {
    if (!extra.is_object()) return "its extra fields are not a JSON object";
    for (auto const field : known)
        if (extra.contains(field)) return "field '" + std::string(field) + "' among its extra fields";
    return {};
}

}  // namespace repebble::inline v0::io::detail

#endif
