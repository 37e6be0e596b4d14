#ifndef REPEBBLE_TREEWIDTH_DETAIL_PACE_LINES_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_PACE_LINES_HPP

// The lexer of the text formats of the PACE challenges: lines of words, with comments.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/byte_order_mark.hpp>
#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io::detail {

/// The lines of a PACE text without comments (lines that begin with the word c), word by word. Refers to the text and
/// to the account, from which it spends for each line.
class pace_lines {
  public:
    pace_lines(std::string_view text, read_account const& account)
        : account_(account), text_(without_mark(text)), source_(account.source()) {}

    /// Moves to the next line that is neither empty nor a comment; false at the end of the text.
    [[nodiscard]] auto next() -> bool {
        while (!text_.empty()) {
            auto const end = text_.find('\n');
            rest_ = text_.substr(0, end);
            text_.remove_prefix(end == text_.npos ? text_.size() : end + 1);
            ++number_;
            account_.spend(1 + rest_.size(), 16 * rest_.size(), [&] { return place(); });
            skip_blanks();
            if (rest_.empty() || is_comment()) continue;
            return true;
        }
        return false;
    }
    /// The next word of the line; empty where there is none.
    [[nodiscard]] auto word() -> std::string_view {
        std::size_t end = 0;
        while (end < rest_.size() && !is_blank(rest_[end])) ++end;
        auto const found = rest_.substr(0, end);
        rest_.remove_prefix(end);
        skip_blanks();
        return found;
    }
    /// Whether the next word of the line is this letter.
    [[nodiscard]] auto is_at(char letter) const -> bool {
        return rest_.starts_with(letter) && (rest_.size() == 1 || is_blank(rest_[1]));
    }
    [[nodiscard]] auto is_at_end() const -> bool { return rest_.empty(); }

    /// Reads a number up to a limit; `what` describes it in error messages.
    [[nodiscard]] auto number(std::string_view what, std::uint64_t limit) -> std::uint64_t {
        std::uint64_t value = 0;
        auto const* const last = rest_.data() + rest_.size();
        auto const [end, wrong] = std::from_chars(rest_.data(), last, value);
        bool const whole = wrong != std::errc::invalid_argument && (end == last || is_blank(*end));
        if (!whole) {
            auto const bad = std::string(word().substr(0, 40));
            fail(bad.empty() ? "lacks " + std::string(what) : std::string(what) + " is not a number: '" + bad + "'");
        }
        if (wrong != std::errc{} || value > limit)
            fail(std::string(what) + " is " + std::string(word().substr(0, 40)) + ", and must be at most " +
                 std::to_string(limit));
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        skip_blanks();
        return value;
    }
    /// Reads a number from 1 to `count` and returns it less one.
    [[nodiscard]] auto index(std::string_view what, std::size_t count) -> std::uint32_t {
        auto const value = number(what, count);
        if (value == 0) fail(std::string(what) + " is 0, and must be at least 1");
        return static_cast<std::uint32_t>(value - 1);
    }
    void end() {
        if (!rest_.empty()) fail("has more than it should: '" + std::string(rest_.substr(0, 40)) + "'");
    }

    /// The number of the line, for messages.
    [[nodiscard]] auto place() const -> std::string { return "line " + std::to_string(number_); }
    [[noreturn]] void fail(std::string const& what) const {
        repebble::detail::raise(bad_file(source_, place() + ": " + what));
    }
    [[noreturn]] void fail_at_end(std::string const& what) const { repebble::detail::raise(bad_file(source_, what)); }

  private:
    [[nodiscard]] static auto is_blank(char c) -> bool { return c == ' ' || c == '\t' || c == '\r'; }
    [[nodiscard]] auto is_comment() const -> bool { return rest_[0] == 'c'; }
    void skip_blanks() {
        std::size_t k = 0;
        while (k < rest_.size() && is_blank(rest_[k])) ++k;
        rest_.remove_prefix(k);
    }

    read_account const& account_;
    std::string_view text_, rest_;
    std::string const& source_;
    std::size_t number_ = 0;
};

}  // namespace repebble::inline v0::io::detail

#endif
