#ifndef REPEBBLE_REPORT_DETAIL_JSON_TEXT_HPP
#define REPEBBLE_REPORT_DETAIL_JSON_TEXT_HPP

// Text of JSON that may stand inside a page: no character of it can end a script, and what is not UTF-8 is replaced.
// page_data.hpp writes the data of the page with it.

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace repebble::inline v0::report::detail {

/// Bytes of the UTF-8 character with which a text begins; 0 where it begins with none.
[[nodiscard]] inline auto utf8_length(std::string_view text) -> std::size_t {
    auto const at = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : '\0'); };
    auto const first = at(0);
    if (first < 0x80) return 1;
    std::size_t const length = first >= 0xC2 && first < 0xE0   ? 2
                               : (first & 0xF0U) == 0xE0U      ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xC0U) != 0x80U) return 0;
    bool const out_of_range = (first == 0xE0 && at(1) < 0xA0) || (first == 0xED && at(1) >= 0xA0) ||
                              (first == 0xF0 && at(1) < 0x90) || (first == 0xF4 && at(1) >= 0x90);
    return out_of_range ? 0 : length;
}

/// Writes one JSON value piece by piece.
class json_text {
  public:
    /// A member of the object that is open.
    void key(std::string_view name) {
        separate();
        quote(name);
        text_ += ':';
        fresh_ = true;
    }
    void begin(char bracket) {
        separate();
        text_ += bracket;
        fresh_ = true;
    }
    void end(char bracket) {
        text_ += bracket;
        fresh_ = false;
    }

    void value(bool b) {
        separate();
        text_ += b ? "true" : "false";
    }
    void value(std::nullptr_t) {
        separate();
        text_ += "null";
    }
    template <class Number>
        requires(std::integral<Number> && !std::same_as<Number, bool>) || std::floating_point<Number>
    void value(Number number) {
        separate();
        if constexpr (std::floating_point<Number>) {
            if (!std::isfinite(number)) return static_cast<void>(text_ += "null");
        }
        std::array<char, 32> digits{};
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        text_.append(digits.data(), end);
    }
    void value(std::string_view s) {
        separate();
        quote(s);
    }
    void value(std::string const& s) { value(std::string_view(s)); }
    void value(char const* s) { value(std::string_view(s)); }

    template <class T>
    void member(std::string_view name, T const& x) {
        key(name);
        value(x);
    }
    /// A member that is an array: f of each element.
    template <std::ranges::input_range Range, class F = std::identity>
    void list(std::string_view name, Range&& all, F f = {}) {
        key(name);
        begin('[');
        for (auto&& x : all) value(f(x));
        end(']');
    }

    [[nodiscard]] auto finish() && -> std::string { return std::move(text_); }

  private:
    void separate() {
        if (!fresh_) text_ += ',';
        fresh_ = false;
    }
    void quote(std::string_view s) {
        constexpr auto digits = std::string_view("0123456789abcdef");
        text_ += '"';
        while (!s.empty()) {
            auto const length = utf8_length(s);
            auto const c = s.front();
            if (length == 0) {
                text_ += "\\ufffd";
            } else if (length > 1) {
                text_ += s.substr(0, length);
            } else if (c == '"' || c == '\\') {
                (text_ += '\\') += c;
            } else if (static_cast<unsigned char>(c) < ' ' || c == '<' || c == '>' || c == '&' || c == '\x7f') {
                auto const code = static_cast<unsigned char>(c);
                ((text_ += "\\u00") += digits[code / 16U]) += digits[code % 16U];
            } else {
                text_ += c;
            }
            s.remove_prefix(length == 0 ? 1 : length);
        }
        text_ += '"';
    }

    std::string text_{};
    bool fresh_ = true;  // nothing stands before the next value
};

/// Text that stands in HTML outside of scripts.
[[nodiscard]] inline auto html_text(std::string_view s) -> std::string {
    std::string text;
    while (!s.empty()) {
        auto const length = utf8_length(s);
        auto const c = s.front();
        if (length == 0 || (static_cast<unsigned char>(c) < ' ' && c != '\n'))
            text += "\xEF\xBF\xBD";
        else if (c == '<')
            text += "&lt;";
        else if (c == '>')
            text += "&gt;";
        else if (c == '&')
            text += "&amp;";
        else if (c == '"')
            text += "&quot;";
        else
            text += s.substr(0, length);
        s.remove_prefix(length == 0 ? 1 : length);
    }
    return text;
}

}  // namespace repebble::inline v0::report::detail

#endif
