// Covers io/parse_json.hpp.
// What strict JSON is, and what an error says of its place.
#include <cstddef>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/io/bad_file.hpp>
#include <repebble/io/parse_json.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto refused(std::string_view text, std::initializer_list<std::string_view> words) -> bool {
    auto const parse = [&] { return io::parse_json(text, "own.json"); };
    return support::throws<bad_file>(parse, words) && support::throws<bad_file>(parse, {"own.json: "});
}
auto nested(std::size_t levels) -> std::string { return std::string(levels, '[') + std::string(levels, ']'); }

}  // namespace

TEST_CASE("parse_json: values of all kinds, and white space around them", "[io]") {
    auto const read = io::parse_json(" {\"a\": [1, -2, 2.5, true, null], \"b\": {\"a\": \"\\u00e9\\n\"}}\n");
    CHECK(read.at("a") == nlohmann::json{1, -2, 2.5, true, nullptr});
    CHECK(read.at("b").at("a") == "é\n");
    CHECK(io::parse_json("[18446744073709551615]")[0].is_number_unsigned());
    CHECK(io::parse_json("{}") == nlohmann::json::object());
    CHECK(io::parse_json("7") == 7);
}

TEST_CASE("parse_json: a field that an object repeats is refused, with its path", "[io]") {
    CHECK(refused(R"({"a": 1, "a": 1})", {"field \"a\" occurs twice", "the outermost object"}));
    CHECK(refused(R"({"list": [0, {"in": {"b": 1, "c": 2, "b": 3}}]})", {"field \"b\" occurs twice", "list[1].in"}));
    CHECK(io::parse_json(R"([{"a": 1}, {"a": {"a": 2}}])").size() == 2);  // fields of different objects
}

TEST_CASE("parse_json: the text ends with its value", "[io]") {
    CHECK(refused("{\"a\": 1}\n\n{}", {"line 3", "byte 11", "not JSON"}));
    CHECK(refused("1 2", {"line 1", "byte 3"}));
    CHECK(refused("[1,]", {"byte 4"}));
    CHECK(refused("[1", {"line 1"}));
    CHECK(refused("", {"not JSON"}));
    CHECK(refused("// none\n1", {"line 1"}));
    CHECK(refused("'a'", {"byte 1"}));
    CHECK(refused("[1,\n\"a\nb\"]", {"line 2", "byte 7"}));  // the line that the break itself ends
}

TEST_CASE("parse_json: a zero byte is no end of the text", "[io]") {
    using namespace std::string_view_literals;
    CHECK(refused("{}\0"sv, {"byte 3", "not JSON"}));
    CHECK(refused("{}\0{}"sv, {"byte 3"}));
    CHECK(refused("[1\0]"sv, {"byte 3"}));
    CHECK(refused("\"a\0b\""sv, {"byte 3"}));
    CHECK(io::parse_json(R"("a\u0000b")") == "a\0b"sv);
}

TEST_CASE("parse_json: a hundred levels are read, and one more is refused", "[io]") {
    CHECK(io::parse_json(nested(100)).size() == 1);
    CHECK(refused(nested(101), {"nested deeper than 100 levels"}));
    CHECK(refused("{\"a\": " + nested(100) + "}", {"nested deeper than 100 levels", "a[0]"}));
    CHECK(refused(std::string(1'000'000, '['), {"nested deeper than 100 levels"}));  // not an overflow of the stack
}

TEST_CASE("parse_json: numbers beyond the range of double are refused", "[io]") {
    CHECK(io::parse_json("1e308") == 1e308);
    CHECK(refused("[1e309]", {"line 1"}));
    CHECK(refused("NaN", {"not JSON"}));
}

TEST_CASE("parse_json: a text without a source is called JSON", "[io]") {
    CHECK(support::throws<bad_file>([] { return io::parse_json("{"); }, {"JSON: ", "line 1"}));
}

TEST_CASE("parse_json: where memory ends, what was read is dismantled without any", "[io]") {
    if (!counts_allocations) return;
    std::string text = "[0";
    for (int k = 0; k < 1000; ++k) text += R"(, {"values": [1, {"name": ["a name that is longer than others"]}]})";
    text += "]";
    std::size_t refusals = 0;
    for (std::size_t const after : {1U, 10U, 100U, 1000U, 2000U, 4000U}) {
        testing::memory_ends_at = testing::allocations + after;
        try {
            static_cast<void>(io::parse_json(text, "own.json"));
        } catch (std::bad_alloc const&) {
            ++refusals;
        }
        testing::memory_ends_at = static_cast<std::size_t>(-1);
    }
    CHECK(refusals == 6);
}
