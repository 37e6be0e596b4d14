#ifndef REPEBBLE_PAGE_DETAIL_JSON_TEXT_HPP
#define REPEBBLE_PAGE_DETAIL_JSON_TEXT_HPP

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

#include <repebble/detail/utf8.hpp>

namespace repebble::inline v0::report::detail {

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
            auto const length = repebble::detail::utf8_length(s);
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
        auto const length = repebble::detail::utf8_length(s);
        auto const c = s.front();
        if (length == 0 || (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t'))
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
