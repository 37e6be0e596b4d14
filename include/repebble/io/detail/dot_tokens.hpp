#ifndef REPEBBLE_IO_DETAIL_DOT_TOKENS_HPP
#define REPEBBLE_IO_DETAIL_DOT_TOKENS_HPP

// The lexer of DOT, the language of Graphviz: names, quoted strings, HTML strings, comments. dot_graph.hpp parses its
// tokens.

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>

namespace repebble::inline v0::io::detail {

/// The tokens of DOT. The values of most are their characters.
enum class dot_token : char {
    end = '\0',
    name = 'a',   ///< letters, a number, "quoted" or <HTML>
    line = '-',   ///< --
    arrow = '>',  ///< ->
    open_brace = '{',
    close_brace = '}',
    open_bracket = '[',
    close_bracket = ']',
    equals = '=',
    semicolon = ';',
    comma = ',',
    colon = ':'
};

/// The tokens of a DOT text; comments are skipped. Refers to the text and to the name of its source.
class dot_tokens {
  public:
    dot_tokens(std::string_view text, std::string const& source) : text_(text), source_(source) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
        next();
    }

    [[nodiscard]] auto is_at(dot_token kind) const -> bool { return kind_ == kind; }
    /// Skips the current token if it is of this kind; returns whether it is.
    [[nodiscard]] auto take(dot_token kind) -> bool {
        if (kind_ != kind) return false;
        next();
        return true;
    }
    /// Whether the current token is this keyword, given in lower case; keywords ignore case.
    [[nodiscard]] auto is_at(std::string_view keyword) const -> bool {
        auto const same = [](char c, char small) { return (c | ' ') == small; };  // keywords are letters only
        return kind_ == dot_token::name && is_word_ && std::ranges::equal(name_, keyword, same);
    }
    [[nodiscard]] auto take(std::string_view keyword) -> bool {
        if (!is_at(keyword)) return false;
        next();
        return true;
    }
    /// Returns the current token, a name, and skips it; the view lives as long as text and tokens do. `what` and
    /// `whose` describe the name in error messages.
    [[nodiscard]] auto name(std::string_view what, std::string_view whose = {}) -> std::string_view {
        bool const is_keyword = std::ranges::any_of(keywords, [&](auto keyword) { return is_at(keyword); });
        auto const subject = [&] { return std::string(what).append(whose.substr(0, 40)); };
        if (kind_ != dot_token::name) fail(subject() + " is missing before " + shown());
        if (is_keyword) fail(subject() + " is the keyword " + std::string(name_) + ", which must stand in quotes");
        auto const found = name_;
        next();
        return found;
    }

    /// The current token for an error message.
    [[nodiscard]] auto shown() const -> std::string {
        if (kind_ == dot_token::end) return "the end of the text";
        auto const all = text_.substr(begin_, at_ - begin_);
        return "'" + std::string(all.substr(0, std::min<std::size_t>(all.find('\n'), 40))) + "'";
    }
    /// Position of the current token.
    [[nodiscard]] auto place() const -> std::size_t { return begin_; }
    /// Line number of a position; O(position).
    [[nodiscard]] auto line_of(std::size_t place) const -> std::size_t {
        return 1 + static_cast<std::size_t>(std::ranges::count(text_.substr(0, place), '\n'));
    }
    [[noreturn]] void fail(std::string const& what) const { fail_at(begin_, what); }

  private:
    static constexpr std::array<std::string_view, 6> keywords{"strict", "graph", "digraph", "subgraph", "node", "edge"};

    [[nodiscard]] static auto is_digit(char c) -> bool { return c >= '0' && c <= '9'; }
    [[nodiscard]] static auto is_letter(char c) -> bool {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
    }
    [[nodiscard]] auto ahead(std::size_t steps = 0) const -> char {
        return at_ + steps < text_.size() ? text_[at_ + steps] : '\0';
    }
    [[noreturn]] void fail_at(std::size_t at, std::string const& what) const {
        repebble::detail::raise(bad_file(source_, "line " + std::to_string(line_of(at)) + ": " + what));
    }

    void next() {
        skip_blanks();
        begin_ = at_;
        if (at_ == text_.size()) {
            kind_ = dot_token::end;
            return;
        }
        auto const c = text_[at_];
        bool const is_edge = c == '-' && (ahead(1) == '-' || ahead(1) == '>');
        if (is_edge || std::string_view("{}[]=;,:").find(c) != std::string_view::npos) {
            kind_ = static_cast<dot_token>(is_edge ? ahead(1) : c);
            at_ += is_edge ? 2 : 1;
            return;
        }
        kind_ = dot_token::name;
        if (c == '"')
            quoted();
        else if (c == '<')
            html();
        else
            unquoted();
    }
    void skip_blanks() {
        while (at_ < text_.size()) {
            auto const c = text_[at_];
            if (c == ' ' || (c >= '\t' && c <= '\r')) {
                ++at_;
            } else if ((c == '/' && ahead(1) == '/') || (c == '#' && (at_ == 0 || text_[at_ - 1] == '\n'))) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (c == '/' && ahead(1) == '*') {
                auto const end = text_.find("*/", at_ + 2);
                if (end == text_.npos) fail_at(at_, "a comment /* is not closed");
                at_ = end + 2;
            } else {
                return;
            }
        }
    }
    void unquoted() {
        is_word_ = is_letter(ahead());
        if (is_word_) {
            while (is_letter(ahead()) || is_digit(ahead())) ++at_;
        } else {
            number();
        }
        name_ = text_.substr(begin_, at_ - begin_);
    }
    void number() {
        if (ahead() == '-') ++at_;
        auto digits = at_;
        while (is_digit(ahead())) ++at_;
        digits = at_ - digits;
        if (ahead() == '.') {
            ++at_;
            while (is_digit(ahead())) ++at_, ++digits;
        }
        auto const found = [&] { return std::string(text_.substr(begin_, std::min<std::size_t>(at_ - begin_, 40))); };
        if (digits == 0) {
            if (at_ == begin_) ++at_;
            fail("'" + found() + "' begins neither a name nor anything else of DOT");
        }
        if (is_letter(ahead()) || ahead() == '.')
            fail("the number " + found() + " is followed by '" + std::string(1, ahead()) +
                 "': a name that begins with a digit must stand in quotes");
    }
    /// Reads quoted strings, which + concatenates.
    void quoted() {
        is_word_ = false;
        name_ = piece();
        auto joined = plus();
        if (!joined && name_.find('\\') == name_.npos) return;
        auto& made = made_.emplace_back();
        append(made, name_);
        for (; joined; joined = plus()) append(made, piece());
        name_ = made;
    }
    /// The text between quotes, with its escapes.
    [[nodiscard]] auto piece() -> std::string_view {
        auto const first = at_ + 1;
        for (auto end = first;; ++end) {
            end = text_.find_first_of("\"\\", end);
            if (end >= text_.size() - 1 && (end == text_.npos || text_[end] == '\\'))
                fail_at(at_, "a string is not closed");
            if (text_[end] == '\\') {
                ++end;
                continue;
            }
            at_ = end + 1;
            return text_.substr(first, end - first);
        }
    }
    [[nodiscard]] auto plus() -> bool {
        auto const end = at_;
        skip_blanks();
        if (ahead() != '+') {
            at_ = end;
            return false;
        }
        ++at_;
        skip_blanks();
        if (ahead() != '"') fail_at(end - 1, "a string and + must be followed by another string");
        return true;
    }
    /// Replaces the escapes \" and line continuation; all others keep their backslash.
    static void append(std::string& made, std::string_view piece) {
        for (std::size_t k = 0; k < piece.size(); ++k) {
            if (piece[k] != '\\') {
                made += piece[k];
                continue;
            }
            auto const next = piece.substr(k + 1);
            if (next.starts_with('"')) continue;
            if (next.starts_with('\n')) {
                ++k;
            } else if (next.starts_with("\r\n")) {
                k += 2;
            } else {
                made.append(piece, k, 2);
                ++k;
            }
        }
    }
    /// Reads an HTML string to the > that matches its first <; those within comments do not count.
    void html() {
        is_word_ = false;
        std::size_t open = 0;
        do {
            auto const found = text_.find_first_of("<>", at_);
            auto end = found == text_.npos ? found : found + 1;
            if (found != text_.npos && text_.substr(found).starts_with("<!--")) {
                end = text_.find("-->", found);
                if (end != text_.npos) end += 3;
            } else if (found != text_.npos) {
                open = text_[found] == '<' ? open + 1 : open - 1;
            }
            if (end == text_.npos) fail("HTML that begins with < is not closed");
            at_ = end;
        } while (open > 0);
        name_ = text_.substr(begin_, at_ - begin_);
    }

    std::string_view text_, name_;
    std::string const& source_;
    std::deque<std::string> made_;  // names that are no substring of the text
    std::size_t begin_ = 0, at_ = 0;
    dot_token kind_ = dot_token::end;
    bool is_word_ = false;
};

}  // namespace repebble::inline v0::io::detail

#endif
