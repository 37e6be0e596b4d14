#ifndef REPEBBLE_IMPL_PLANNER_EFFORT_IPP
#define REPEBBLE_IMPL_PLANNER_EFFORT_IPP

#include <repebble/planner/effort.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

/// A number as people write it.
[[nodiscard]] inline auto effort_text(double value) -> std::string {
    constexpr int digits = 12;
    std::array<char, 32> text{};
    auto const end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr;
    return {text.data(), end};
}

/// Insertions, removals and changes from one word to another (Wagner, Fischer 1974).  O(product of their lengths).
[[nodiscard]] inline auto edit_distance(std::string_view from, std::string_view to) -> std::size_t {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < to.size(); ++j) {
            auto const changed = diagonal + (from[i] == to[j] ? 0U : 1U);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
        }
    }
    return row.back();
}

/// Throws bad_option where the constant may not have that value.
inline void check_effort(effort_constant const& c, double value) {
    if (value >= c.least && value <= c.most && (!c.is_whole() || !(std::floor(value) < value))) return;
    raise(bad_option("effort " + std::string(c.name) + " is " + effort_text(value) + ", not a " +
                     (c.is_whole() ? "whole " : "") + "number from " + effort_text(c.least) + " to " +
                     effort_text(c.most)));
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE void set_effort(effort& e, std::string_view name, double value) {
    auto const found = std::ranges::find(effort_constants, name, &effort_constant::name);
    if (found == effort_constants.end()) {
        auto const nearest = std::ranges::min_element(
            effort_constants, {}, [&](effort_constant const& c) { return detail::edit_distance(name, c.name); });
        detail::raise(bad_option("effort has no constant " + std::string(name) + "; the nearest is " +
                                 std::string(nearest->name)));
    }
    detail::check_effort(*found, value);
    std::visit([&](auto const member) { e.*member = static_cast<std::remove_cvref_t<decltype(e.*member)>>(value); },
               found->member);
}

REPEBBLE_INLINE void verify_effort(effort const& e) {
    for (auto const& c : effort_constants) detail::check_effort(c, c.of(e));
}

}  // namespace repebble::inline v0

#endif
