#ifndef REPEBBLE_IO_DETAIL_DOT_VALUES_HPP
#define REPEBBLE_IO_DETAIL_DOT_VALUES_HPP

// The values of attributes in DOT that are fields of graph files: numbers, sizes, flags, lists. dot_network.hpp reads
// them; every message has the line of the attribute.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/utf8.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/detail/dot_statements.hpp>
#include <repebble/io/detail/json_reader.hpp>

namespace repebble::inline v0::io::detail {

/// Reads values of attributes. Refers to the text and to the name of its source.
class dot_values {
  public:
    dot_values(std::string_view text, std::string const& source) : text_(text), source_(source) {}

    [[nodiscard]] auto source() const -> std::string const& { return source_; }
    /// Number of lines that end in a part of the text.  O(to - from).
    [[nodiscard]] auto line_ends(std::size_t from, std::size_t to) const -> std::size_t {
        return static_cast<std::size_t>(std::ranges::count(text_.substr(from, to - from), '\n'));
    }
    /// The line of a place, for messages.  O(place).
    [[nodiscard]] auto line(std::size_t place) const -> std::string {
        return "line " + std::to_string(1 + line_ends(0, place));
    }
    [[noreturn]] void fail(std::size_t place, std::string const& what) const {
        repebble::detail::raise(bad_file(source_, line(place) + ": " + what));
    }
    [[noreturn]] void fail(dot_attribute const& given, std::string const& what) const {
        fail(given.place, std::string(given.key) + " " + what);
    }
    /// A name or a value for an error message.
    [[nodiscard]] static auto quoted(std::string_view text) -> std::string { return shown(nlohmann::json(text)); }

    /// The value as it is.
    [[nodiscard]] auto text(dot_attribute const& given) const -> std::string {
        if (!repebble::detail::is_utf8(given.value)) fail(given, "is not UTF-8: " + quoted(given.value));
        return std::string(given.value);
    }
    [[nodiscard]] auto flag(dot_attribute const& given) const -> bool {
        if (given.value != "true" && given.value != "false")
            fail(given, "must be true or false, not " + quoted(given.value));
        return given.value == "true";
    }
    /// An integer where it is one that fits, otherwise a fraction.
    [[nodiscard]] auto number(dot_attribute const& given) const -> nlohmann::json {
        auto const* const end = given.value.data() + given.value.size();
        auto const read = [&](auto& value) {
            auto const [last, wrong] = std::from_chars(given.value.data(), end, value);
            return wrong == std::errc{} && last == end;
        };
        std::int64_t whole = 0;
        double fraction = 0;
        if (!read(whole) && (!read(fraction) || !std::isfinite(fraction)))
            fail(given, "is not a number: " + quoted(given.value));
        if (whole < 0 || fraction < 0) fail(given, "is negative: " + quoted(given.value));
        return fraction > 0 ? nlohmann::json(fraction) : nlohmann::json(whole);
    }
    /// Bytes such as 4096 or 8MiB.
    [[nodiscard]] auto size(dot_attribute const& given) const -> bytes {
        return repebble::detail::catching<bad_weight>(
            [&] { return parse_bytes(given.value); },
            [&](bad_weight const& e) -> bytes { fail(given, std::string("is no size: ") + e.what()); });
    }
    /// Numbers of outputs, with commas between.
    [[nodiscard]] auto outputs(dot_attribute const& given) const -> std::vector<std::uint32_t> {
        std::vector<std::uint32_t> all;
        each_part(given, [&](dot_attribute const& part) {
            auto const* const end = part.value.data() + part.value.size();
            auto const [last, wrong] = std::from_chars(part.value.data(), end, all.emplace_back());
            if (wrong != std::errc{} || last != end)
                fail(given, "must be a list of outputs such as \"0,2\", not " + quoted(given.value));
        });
        return all;
    }
    /// Bytes of several outputs, with commas between.
    [[nodiscard]] auto sizes(dot_attribute const& given) const -> std::vector<bytes> {
        std::vector<bytes> all;
        each_part(given, [&](dot_attribute const& part) { all.push_back(size(part)); });
        return all;
    }

  private:
    /// Calls visit for every part between commas, without the blanks around it.
    template <class Visit>
    static void each_part(dot_attribute const& given, Visit const& visit) {
        for (std::size_t at = 0; at <= given.value.size();) {
            auto const comma = std::min(given.value.find(',', at), given.value.size());
            auto part = given.value.substr(at, comma - at);
            while (part.starts_with(' ')) part.remove_prefix(1);
            while (part.ends_with(' ')) part.remove_suffix(1);
            visit(dot_attribute{given.key, part, given.place});
            at = comma + 1;
        }
    }

    std::string_view text_;
    std::string const& source_;
};

}  // namespace repebble::inline v0::io::detail

#endif
