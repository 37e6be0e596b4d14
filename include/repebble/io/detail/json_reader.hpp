#ifndef REPEBBLE_IO_DETAIL_JSON_READER_HPP
#define REPEBBLE_IO_DETAIL_JSON_READER_HPP

// Reading JSON with precise errors: a SAX builder with limits on depth and duplicate fields, which passes long arrays
// on element by element, and typed accessors. All JSON readers of this room use it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/shortened.hpp>
#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io::detail {

/// A consumer of the elements of one array, called as they are read, so that a long array is never in memory as a
/// whole.
struct json_elements {
    std::string_view array;  ///< name of a field of the outermost object
    std::function<void(nlohmann::json const& element, std::size_t number)> take;
};

[[nodiscard]] inline auto shown(nlohmann::json const& value) -> std::string {
    if (value.is_array()) return "an array";
    if (value.is_object()) return "an object";
    return shortened(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// Empties an array or an object without memory, from the innermost on: the library's destructor makes a list of what
/// is in it, which aborts the program where memory has ended. Requires: it is not nested too deeply for a recursion.
inline void dismantle(nlohmann::json& value) noexcept {
    if (!value.is_structured()) return;
    for (auto& element : value) dismantle(element);
    value.clear();
}

/// Dismantles a value where its scope ends.
class dismantled {
  public:
    explicit dismantled(nlohmann::json& value) : value_(value) {}
    dismantled(dismantled const&) = delete;
    auto operator=(dismantled const&) -> dismantled& = delete;
    ~dismantled() { dismantle(value_); }

  private:
    nlohmann::json& value_;
};

/// Builds values from the events of nlohmann's parser; unlike its own builder it limits the depth (deep nesting
/// overflows the stack of recursive code) and rejects repeated fields.
class json_builder {
  public:
    using json = nlohmann::json;

    json_builder(std::string_view text, std::string const& source, read_account const& account,
                 json_elements const& elements)
        : text_(text), source_(source), account_(account), elements_(elements) {}

    auto null() -> bool { return leaf(nullptr); }
    auto boolean(bool b) -> bool { return leaf(b); }
    auto number_integer(json::number_integer_t i) -> bool { return leaf(i); }
    auto number_unsigned(json::number_unsigned_t u) -> bool { return leaf(u); }
    auto number_float(json::number_float_t d, std::string const&) -> bool { return leaf(d); }
    auto string(std::string& s) -> bool {
        spend(s.size(), 48 + s.size());
        return leaf(std::move(s));
    }
    auto binary(json::binary_t&) -> bool { return false; }  // never in JSON text
    auto start_object(std::size_t) -> bool { return open(json::object()); }
    auto start_array(std::size_t) -> bool { return open(json::array()); }
    auto end_object() -> bool { return close(); }
    auto end_array() -> bool { return close(); }
    auto key(std::string& k) -> bool {
        if (open_.back()->contains(k))
            repebble::detail::raise(bad_file(source_, "field " + shown(k) + " occurs twice in " + place()));
        spend(k.size(), 80 + k.size());
        keys_.back() = std::move(k);
        return true;
    }
    auto parse_error(std::size_t byte, std::string const&, nlohmann::detail::exception const& e) -> bool {
        std::string_view why = e.what();  // "[json.exception.….…] parse error at line …, column …: …"
        why.remove_prefix(std::min(why.find("] ") + 2, why.size()));
        if (why.starts_with("parse error")) why.remove_prefix(std::min(why.find(": ") + 2, why.size()));
        refuse(byte, shortened(std::string(why)));
    }
    /// Throws bad_file: the text is not JSON, as is seen at that byte, from 1 on.
    [[noreturn]] void refuse(std::size_t byte, std::string const& why) const {
        byte = std::min(byte, text_.size());
        auto const line = 1 + std::ranges::count(text_.substr(0, byte == 0 ? 0 : byte - 1), '\n');
        repebble::detail::raise(bad_file(source_, "line " + std::to_string(line) + ", byte " + std::to_string(byte) +
                                                      ": not JSON: " + why));
    }

    [[nodiscard]] auto finish() && -> json { return std::move(root_); }

  private:
    static constexpr std::size_t most_levels = 100;

    void spend(std::size_t letters, std::size_t memory) const {
        account_.spend(letters, memory, [&] { return place(); });
    }
    auto put(json&& value) -> json* {
        spend(1, 32);
        if (open_.empty()) return &(root_ = std::move(value));
        auto& within = *open_.back();
        if (within.is_object()) return &(within[keys_.back()] = std::move(value));
        within.push_back(std::move(value));
        return &within.back();
    }
    auto leaf(json&& value) -> bool {
        put(std::move(value));
        hand_over();
        return true;
    }
    auto open(json&& value) -> bool {
        if (open_.size() == most_levels)
            repebble::detail::raise(
                bad_file(source_, "is nested deeper than " + std::to_string(most_levels) + " levels in " + place()));
        spend(1, 64);
        open_.push_back(put(std::move(value)));
        keys_.emplace_back();
        if (open_.size() == 2) left_ = account_.memory_left();
        return true;
    }
    auto close() -> bool {
        open_.pop_back();
        keys_.pop_back();
        hand_over();
        return true;
    }
    [[nodiscard]] auto hands_over() const -> bool {
        return elements_.take && open_[1]->is_array() && keys_[0] == elements_.array;
    }
    /// Passes the completed value on, where it is an element of the consumer's array.
    void hand_over() {
        if (open_.size() != 2 || !hands_over()) return;
        elements_.take(open_[1]->back(), taken_++);
        dismantle(*open_[1]);
        account_.free_until(left_);
    }
    /// Path of the current value: "nodes[3].shape".
    [[nodiscard]] auto place() const -> std::string {
        std::string path;
        for (std::size_t i = 0; i + 1 < open_.size(); ++i)
            if (open_[i]->is_object()) {
                path += (path.empty() ? "" : ".") + keys_[i];
            } else {
                auto const given_away = i == 1 && hands_over() ? taken_ : 0;
                path += "[" + std::to_string(given_away + std::max<std::size_t>(open_[i]->size(), 1) - 1) + "]";
            }
        return path.empty() ? "the outermost object" : shortened(path);
    }

    std::string_view text_;
    std::string const& source_;
    read_account const& account_;
    json_elements const& elements_;
    json root_;
    dismantled end_{root_};
    std::vector<json*> open_;        // arrays and objects that are not complete yet, from the outermost
    std::vector<std::string> keys_;  // of each: the field that is being read
    std::size_t taken_ = 0;
    std::size_t left_ = 0;  // memory, before the elements of an array that may be handed over
};

/// Typed access to JSON values; every error message begins with `source` and `where`.
struct json_reader {
    std::string const& source;
    std::string where;

    [[noreturn]] void fail(std::string const& what) const {
        repebble::detail::raise(bad_file(source, where + ": " + what));
    }

    /// An integer that fits in 64 bits with sign.
    [[nodiscard]] auto integer(nlohmann::json const& value, std::string_view field) const -> std::int64_t {
        if (!value.is_number_integer()) fail(std::string(field) + " must be an integer, not " + shown(value));
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > most)
            fail(std::string(field) + " is above 2^63 - 1: " + shown(value));
        return value.get<std::int64_t>();
    }
    /// As `integer`, but also accepts 3.0 for 3.
    [[nodiscard]] auto whole_number(nlohmann::json const& value, std::string_view field) const -> std::int64_t {
        if (!value.is_number_float()) return integer(value, field);
        auto const number = value.get<double>();
        if (number >= 0x1p63) fail(std::string(field) + " is above 2^63 - 1: " + shown(value));
        if (number < -0x1p63 || std::abs(number - std::trunc(number)) > 0)
            fail(std::string(field) + " is not a whole number: " + shown(value));
        return static_cast<std::int64_t>(number);
    }
    /// An index of a vertex or output: 0 … 2^32 - 1.
    [[nodiscard]] auto index(nlohmann::json const& value, std::string_view field) const -> std::uint32_t {
        auto const number = integer(value, field);
        if (!std::in_range<std::uint32_t>(number)) fail(std::string(field).append(" is out of range: ") + shown(value));
        return static_cast<std::uint32_t>(number);
    }
    [[nodiscard]] auto boolean(nlohmann::json const& value, std::string_view field) const -> bool {
        if (!value.is_boolean()) fail(std::string(field) + " must be true or false, not " + shown(value));
        return value.get<bool>();
    }
    [[nodiscard]] auto text(nlohmann::json const& value, std::string_view field) const -> std::string const& {
        if (!value.is_string()) fail(std::string(field) + " must be a string, not " + shown(value));
        return value.get_ref<std::string const&>();
    }
    [[nodiscard]] auto array(nlohmann::json const& value, std::string_view field) const -> nlohmann::json const& {
        if (!value.is_array()) fail(std::string(field) + " must be an array, not " + shown(value));
        return value;
    }

  private:
    static constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
};

/// Parses a JSON text; the elements of `elements.array`, if given, are passed on one by one and not kept.
/// O(characters · log of the longest object).
/// Throws bad_file, naming `source` and line and byte or the path of the field, where the text is not JSON, goes on
/// after its end, has a number beyond the range of double, repeats a field in one object, or is nested deeper than 100;
/// limit_reached.  Requires: the account is open.
[[nodiscard]] inline auto parse_json(std::string_view text, std::string const& source, read_account const& account,
                                     json_elements const& elements = {}) -> nlohmann::json {
    json_builder builder(text, source, account, elements);
    // The parser takes a zero byte for the end of the text.
    if (auto const zero = text.find('\0'); zero != text.npos) builder.refuse(zero + 1, "a zero byte");
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return std::move(builder).finish();
}

}  // namespace repebble::inline v0::io::detail

#endif
