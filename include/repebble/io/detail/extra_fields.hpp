#ifndef REPEBBLE_IO_DETAIL_EXTRA_FIELDS_HPP
#define REPEBBLE_IO_DETAIL_EXTRA_FIELDS_HPP

// The check of unknown fields that readers keep and writers write back: a field whose name is nearly that of a known
// one is a mistake, and would be lost without a word.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace repebble::inline v0::io::detail {

/// A name in small letters, without what stands between its words and an "is" before them.
[[nodiscard]] inline auto plain_name(std::string_view name) -> std::string {
    std::string plain;
    for (char const c : name)
        if (c != '_' && c != '-' && c != ' ') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.starts_with("is_")) plain.erase(0, 2);
    return plain;
}

/// Whether one letter too many, too few or exchanged with its neighbour makes `a` of `b`; in words of six letters and
/// more another letter, too.  O(letters).
[[nodiscard]] inline auto differ_by_a_letter(std::string_view a, std::string_view b) -> bool {
    if (a.size() > b.size()) std::swap(a, b);
    if (b.size() - a.size() > 1) return false;
    auto const at = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
    auto const rest_a = a.substr(at), rest_b = b.substr(at);
    if (rest_a.size() < rest_b.size()) return rest_a == rest_b.substr(1);
    if (rest_a.empty()) return false;
    if (b.size() >= 6 && rest_a.substr(1) == rest_b.substr(1)) return true;
    return rest_a.size() >= 2 && rest_a[0] == rest_b[1] && rest_a[1] == rest_b[0] &&
           rest_a.substr(2) == rest_b.substr(2);
}

/// Whether a field must be meant for a known one of another name: the same words, a letter apart, or the first letters
/// of it. Shorter words are too short to tell.
[[nodiscard]] inline auto is_misspelt(std::string_view field, std::string_view known) -> bool {
    auto const a = plain_name(field), b = plain_name(known);
    if (a.size() < 4 || b.size() < 5) return a == b;
    return a == b || differ_by_a_letter(a, b) || (a.size() > 4 && b.starts_with(a));
}

/// Checks the extra fields of many objects of one kind.
class extra_fields {
  public:
    /// known: the fields for which there are members.
    explicit extra_fields(std::span<std::string_view const> known) : known_(known) {}

    /// Returns the fault of the extra fields of an object, "" where they are valid: they must be a JSON object without
    /// any of the known fields and without one that is meant for one of these. `outputs` and lists of `inputs` are not.
    /// O(fields), and for each new name O(known fields · letters).
    [[nodiscard]] auto fault_of(nlohmann::json const& extra) -> std::string {
        if (!extra.is_object()) return "its extra fields are not a JSON object";
        for (auto const& [field, value] : extra.items()) {
            if (field == "outputs" || (field == "inputs" && value.is_array())) continue;
            auto const known = meant_by(field);
            if (field == known) return "field '" + field + "' among its extra fields";
            if (!known.empty()) return "has an unknown field '" + field + "'; is '" + std::string(known) + "' meant?";
        }
        return {};
    }

  private:
    /// The known field for which a field is meant, "" where it is another.  O(known fields · letters) for a new name.
    [[nodiscard]] auto meant_by(std::string const& field) -> std::string_view {
        if (others_.contains(field)) return {};
        for (auto const known : known_)
            if (is_misspelt(field, known)) return known;
        others_.insert(field);
        return {};
    }

    std::span<std::string_view const> known_;
    std::set<std::string, std::less<>> others_;  // found not to be known
};

}  // namespace repebble::inline v0::io::detail

#endif
