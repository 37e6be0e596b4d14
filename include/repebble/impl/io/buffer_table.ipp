#ifndef REPEBBLE_IMPL_IO_BUFFER_TABLE_IPP
#define REPEBBLE_IMPL_IO_BUFFER_TABLE_IPP

#include <repebble/io/buffer_table.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/byte_order_mark.hpp>

namespace repebble::inline v0::io::detail {

inline constexpr std::string_view blanks = " \t\r";  // also at the end of a line

[[nodiscard]] inline auto fields_of(std::string_view text, char separator) -> std::vector<std::string_view> {
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0;;) {
        auto const end = text.find(separator, begin);
        auto field = text.substr(begin, end == text.npos ? text.npos : end - begin);
        auto const first = field.find_first_not_of(blanks);
        field = first == field.npos ? "" : field.substr(first, field.find_last_not_of(blanks) + 1 - first);
        fields.push_back(field);
        if (end == text.npos) return fields;
        begin = end + 1;
    }
}

/// Reads the lines of a table of buffers.
class buffer_lines {
  public:
    explicit buffer_lines(read_account const& account) : account_(account), source_(account.source()) {}

    void read(std::string_view line) {
        ++line_;
        account_.spend(1 + line.size(), line_bytes + 32 * line.size(), [&] { return "line " + std::to_string(line_); });
        if (line.find_first_not_of(blanks) == line.npos) return;
        auto const fields = fields_of(line, ',');
        if (width_ == 0) {
            read_header(fields);
            return;
        }
        if (fields.size() != width_)
            fail("has " + std::to_string(fields.size()) + " fields, and the header " + std::to_string(width_));
        buffer b{.lifetime = {number(fields, lower), number(fields, upper)}, .size = number(fields, size)};
        if (inclusive_ && __builtin_add_overflow(b.lifetime.upper, 1, &b.lifetime.upper)) fail("its end is too late");
        if (auto const text = given(fields, alignment)) b.alignment = number(*text, "alignment");
        if (auto const text = given(fields, offset)) b.pinned = number(*text, "offset");
        if (auto const text = given(fields, gaps)) read_gaps(*text, b);
        if (auto const text = given(fields, alias))
            aliases_.push_back({line_, table_.buffers.size(), std::string(*text)});
        if (auto const fault = repebble::detail::fault_of(b); !fault.empty())
            fail("buffer " + std::string(fields[column_[id]]) + ": " + fault);
        auto const [first, is_new] = line_of_.emplace(fields[column_[id]], line_);
        if (!is_new)
            fail("buffer " + first->first + " has the id of the buffer in line " + std::to_string(first->second));
        table_.names.push_back(first->first);
        table_.buffers.push_back(std::move(b));
        if (column_[pool] != absent) table_.pools.emplace_back(fields[column_[pool]]);
    }

    [[nodiscard]] auto finish() && -> buffer_table {
        if (width_ == 0) repebble::detail::raise(bad_file(source_, "has no header, such as id,lower,upper,size"));
        if (!aliases_.empty()) find_aliases();
        return std::move(table_);
    }

  private:
    enum column : std::size_t { id, lower, upper, size, alignment, offset, hint, gaps, alias, pool };
    static constexpr std::array<std::string_view, 10> names{"id",     "lower", "upper", "size",  "alignment",
                                                            "offset", "hint",  "gaps",  "alias", "pool"};
    static constexpr auto absent = static_cast<std::size_t>(-1);
    static constexpr std::size_t line_bytes = 4 * (sizeof(buffer) + sizeof(std::string));  // of vectors that grow
    struct reference {
        std::size_t line;
        std::size_t buffer;
        std::string to;
    };

    [[noreturn]] void fail(std::string const& name) const {
        repebble::detail::raise(bad_file(source_, "line " + std::to_string(line_) + ": " + name));
    }

    void read_header(std::vector<std::string_view> const& fields) {
        for (auto& at : column_) at = absent;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            auto name = fields[i];
            if (name == "buffer" || name == "buffer_id") name = "id";
            if (name == "start" || name == "begin") name = "lower";
            if (name == "end") {
                name = "upper";
                inclusive_ = true;
            }
            auto const known = std::ranges::find(names, name);
            if (known == names.end()) fail("the header has an unknown column " + std::string(fields[i]));
            auto& at = column_[static_cast<std::size_t>(known - names.begin())];
            if (at != absent) fail("the header has two columns for " + std::string(name));
            at = i;
        }
        for (auto const needed : {id, lower, upper, size})
            if (column_[needed] == absent) fail("the header has no column " + std::string(names[needed]));
        width_ = fields.size();
    }

    /// Resolves aliases, whose buffers may stand in later lines.
    void find_aliases() {
        std::map<std::string_view, std::size_t> named;
        for (std::size_t i = 0; i < table_.names.size(); ++i) named.emplace(table_.names[i], i);
        for (auto const& [line, i, to] : aliases_) {
            line_ = line;
            auto const owner = named.find(to);
            if (owner == named.end())
                fail("buffer " + table_.names[i] + ": it is an alias of " + to + ", and no buffer has that name");
            table_.buffers[i].alias_of = owner->second;
        }
        // An alias of an alias lies in the same storage.
        std::vector<std::size_t> path;
        for (auto const& [line, i, to] : aliases_) {
            line_ = line;
            auto owner = i;
            for (path.clear(); table_.buffers[owner].alias_of; owner = *table_.buffers[owner].alias_of) {
                if (path.size() > aliases_.size())
                    fail("buffer " + table_.names[i] + ", an alias of " + to + ": its aliases lead back to themselves");
                path.push_back(owner);
            }
            for (auto const buffer : path) table_.buffers[buffer].alias_of = owner;
        }
        for (auto const& [line, i, to] : aliases_) {
            line_ = line;
            auto const& b = table_.buffers[i];
            if (b.pinned && b.pinned != table_.buffers[*b.alias_of].pinned)
                fail("buffer " + table_.names[i] + ", an alias of " + to + ": its offset is " +
                     std::to_string(*b.pinned) + ", and " + table_.names[*b.alias_of] + " is not pinned there");
        }
    }

    [[nodiscard]] auto number(std::string_view text, std::string_view name) const -> std::int64_t {
        std::int64_t value = 0;
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (wrong != std::errc{} || end != text.data() + text.size())
            fail(std::string(name) + " is not a whole number of 64 bits: '" + std::string(text.substr(0, 40)) + "'");
        return value;
    }
    [[nodiscard]] auto number(std::vector<std::string_view> const& fields, column name) const -> std::int64_t {
        return number(fields[column_[name]], names[name]);
    }
    /// The text of an optional column; empty where the column or the field is missing.
    [[nodiscard]] auto given(std::vector<std::string_view> const& fields, column name) const
        -> std::optional<std::string_view> {
        if (column_[name] == absent || fields[column_[name]].empty()) return std::nullopt;
        return fields[column_[name]];
    }
    /// Reads gaps such as "3-5 8-9@0:64": from 3 to 5 no byte is needed, from 8 to 9 only the bytes from 0 to 64.
    void read_gaps(std::string_view text, buffer& b) const {
        for (auto const gap : fields_of(text, ' ')) {
            if (gap.empty()) continue;
            auto const parts = fields_of(gap, '@');
            auto const dash = parts[0].find('-', 1);  // the first character can be the sign of the begin
            if (parts.size() > 2 || dash == parts[0].npos)
                fail("a gap must be like 3-5 or 3-5@0:64, not " + std::string(gap));
            buffer_gap found{.lifetime = {number(parts[0].substr(0, dash), "a gap's begin"),
                                          number(parts[0].substr(dash + 1), "a gap's end")}};
            if (inclusive_ && __builtin_add_overflow(found.lifetime.upper, 1, &found.lifetime.upper))
                fail("the end of a gap is too late");
            if (parts.size() == 2) {
                auto const window = fields_of(parts[1], ':');
                if (window.size() != 2) fail("a gap's window must be like 0:64, not " + std::string(parts[1]));
                found.window = interval{number(window[0], "a window's begin"), number(window[1], "a window's end")};
            }
            b.gaps.push_back(found);
        }
    }

    read_account const& account_;
    std::string const& source_;
    std::size_t line_ = 0;
    std::size_t width_ = 0;  // 0: no header yet
    bool inclusive_ = false;
    std::array<std::size_t, names.size()> column_{};
    std::vector<reference> aliases_{};
    std::unordered_map<std::string, std::size_t> line_of_{};  // by id
    buffer_table table_{};
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_buffers(std::string_view text, std::string const& source, read_account account)
    -> buffer_table {
    account.open(source, text.size());
    detail::buffer_lines lines(account);
    text = detail::without_mark(text);
    while (!text.empty()) {
        auto const end = text.find('\n');
        lines.read(text.substr(0, end));
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return std::move(lines).finish();
}

REPEBBLE_INLINE auto to_text(buffer_table const& table, std::span<bytes const> offsets) -> std::string {
    REPEBBLE_ASSERT(table.names.size() == table.buffers.size());
    REPEBBLE_ASSERT(offsets.empty() || offsets.size() == table.buffers.size());
    REPEBBLE_ASSERT(table.pools.empty() || table.pools.size() == table.buffers.size());
    auto const any = [&](auto&& property) { return std::ranges::any_of(table.buffers, property); };
    bool const aligned = any([](buffer const& b) { return b.alignment != 1; });
    bool const gapped = any([](buffer const& b) { return !b.gaps.empty(); });
    bool const placed = !offsets.empty() || any([](buffer const& b) { return b.pinned.has_value(); });
    bool const aliased = any([](buffer const& b) { return b.alias_of.has_value(); });
    std::string text = "id,lower,upper,size";
    text += std::string(aligned ? ",alignment" : "") + (gapped ? ",gaps" : "") + (aliased ? ",alias" : "");
    text += std::string(table.pools.empty() ? "" : ",pool") + (placed ? ",offset\n" : "\n");
    for (std::size_t i = 0; i < table.buffers.size(); ++i) {
        auto const& b = table.buffers[i];
        auto const put = [&](std::int64_t n) { (text += ',') += std::to_string(n); };
        text += table.names[i];
        put(b.lifetime.lower), put(b.lifetime.upper), put(b.size);
        if (aligned) put(b.alignment);
        if (gapped) text += ',';
        for (char const* before = ""; auto const& gap : b.gaps) {
            text += std::exchange(before, " ") + std::to_string(gap.lifetime.lower) + '-' +
                    std::to_string(gap.lifetime.upper);
            if (gap.window) text += '@' + std::to_string(gap.window->lower) + ':' + std::to_string(gap.window->upper);
        }
        if (aliased) text += ',' + (b.alias_of ? table.names.at(*b.alias_of) : "");
        if (!table.pools.empty()) (text += ',') += table.pools[i];
        if (!offsets.empty())
            put(offsets[i]);
        else if (placed)
            text += b.pinned ? ',' + std::to_string(*b.pinned) : ",";
        text += '\n';
    }
    return text;
}

}  // namespace repebble::inline v0::io

#endif
