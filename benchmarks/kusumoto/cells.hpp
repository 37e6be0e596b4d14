#ifndef KUSUMOTO_CELLS_HPP
#define KUSUMOTO_CELLS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include <repebble/graph/quantity.hpp>

#include "subjects.hpp"

// Cells of the tables.
namespace repebble::kusumoto {

/// "4,718,166,016".
inline auto grouped(bytes value) -> std::string {
    auto digits = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

/// "4.72", with as many digits behind the point.
inline auto fixed(double value, int digits) -> std::string {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

/// "+4 %": how far off the paper's figure. Against ">= 11.4 GB" only less is off.
inline auto deviation(double gb, double paper_gb) -> std::string {
    if (paper_gb == device_memory && gb >= device_memory) return "agrees";
    auto const percent = std::lround(100 * (gb / paper_gb - 1));
    return (percent > 0 ? "+" : "") + std::to_string(percent) + " %";
}

inline auto gigabytes(bytes value) -> double { return static_cast<double>(value) / 1e9; }

/// Bytes, gigabytes, deviation; without the bytes where they are not the library's own figure.
/// Of 0 bytes: not asked for.
inline auto cells(bytes ours, double paper_gb, bool exact = true) -> std::string {
    if (ours == 0) return exact ? " … | … | … |" : " … | … |";
    auto const gb = gigabytes(ours);
    return (exact ? ' ' + grouped(ours) + " |" : "") + ' ' + fixed(gb, 2) + " | " + deviation(gb, paper_gb) + " |";
}

}  // namespace repebble::kusumoto

#endif
