// Covers io/json_chain.hpp, io/write_file.hpp.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/io/json_chain.hpp>
#include <repebble/io/write_file.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Two stages and the loss.
constexpr char const* two_stages = R"({"name": "two", "L": 2, "fw": [3, 4], "bw": [5, 6, 7], "cw": [10, 20, 30],
    "cbw": [0, 25, 30], "fwd_tmp": [1, 2], "bwd_tmp": [3, 4, 5]})";

/// The text with the first `what` replaced.
auto with(std::string_view what, std::string const& instead) -> std::string {
    std::string text = two_stages;
    auto const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), instead);
}
auto refused_chain(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_chain(text, "c.json"); }, words) &&
           support::throws<bad_file>([&] { return io::parse_chain(text, "c.json"); }, {"c.json: "});
}

}  // namespace

TEST_CASE("a chain file: stages, and the loss as the last of them", "[io][chain]") {
    auto const read = io::parse_chain(two_stages);
    CHECK(read.name == "two");
    CHECK(read.chain.input == 10);
    CHECK(read.chain.input_gradient == 10);
    std::vector<chain_stage> const expected{
        {3, 5, 20, 20, 1, {{.saved = 25, .forward_workspace = 1, .backward_workspace = 3}}},
        {4, 6, 30, 30, 2, {{.saved = 30, .forward_workspace = 2, .backward_workspace = 4}}},
        {0, 7, 0, 0, 0, {{.saved = 0, .forward_workspace = 0, .backward_workspace = 5}}}};
    CHECK(read.chain.stages == expected);
}

TEST_CASE("a chain file: lists may end before the loss, or name it", "[io][chain]") {
    auto const short_lists = io::parse_chain(with("[3, 4, 5]", "[3, 4, 0]"));
    CHECK(io::parse_chain(with("[3, 4, 5]", "[3, 4]")) == short_lists);
    CHECK(io::parse_chain(with("\"L\": 2, ", "")) == io::parse_chain(two_stages));
    CHECK(io::parse_chain(with("\"fw\": [3, 4]", "\"fw\": [3, 4, 0]")) == io::parse_chain(two_stages));
    CHECK(io::parse_chain(with("[10, 20, 30]", "[10, 20, 30, 0]")) == io::parse_chain(two_stages));
    CHECK(io::parse_chain(with("\"L\"", "\"unknown\": [{}], \"L\"")) == io::parse_chain(two_stages));
    CHECK(io::parse_chain(with("\"name\": \"two\", ", "")).name.empty());

    auto const loss = io::parse_chain(R"({"L": 2, "fw": [3, 4, 8], "bw": [5, 6, 7], "cw": [10, 20, 30, 2],
        "cbw": [0, 25, 30, 9], "fwd_tmp": [1, 2, 6], "bwd_tmp": [3, 4, 5]})");
    CHECK(loss.chain.stages.back() ==
          chain_stage{8, 7, 2, 2, 6, {{.saved = 9, .forward_workspace = 6, .backward_workspace = 5}}});

    auto const bare = io::parse_chain(R"({"fw": [3, 4], "bw": [5, 6, 7], "cw": [10, 20, 30], "cbw": [0, 25, 30]})");
    for (auto const& s : bare.chain.stages) {
        CHECK(s.workspace == 0);
        CHECK((s.tapes[0].forward_workspace == 0 && s.tapes[0].backward_workspace == 0));
    }
    CHECK(io::parse_chain(R"({"fw": [], "bw": [5], "cw": [10], "cbw": [0]})").chain.stages.size() == 1);
}

TEST_CASE("a chain file: workspaces may be negative, down to the resident bytes", "[io][chain]") {
    auto const read = io::parse_chain(with("[3, 4, 5]", "[-55, 4, 0]"));
    CHECK(read.chain.stages[0].tapes[0].backward_workspace == -55);
    CHECK(refused_chain(with("[3, 4, 5]", "[-56, 4, 0]"), {"stage 0", "-56"}));
    CHECK(refused_chain(with("[3, 4, 5]", "[-9223372036854775808, 4, 0]"), {"stage 0"}));
    CHECK(refused_chain(with("[1, 2]", "[1, -31]"), {"stage 1", "-31"}));
}

TEST_CASE("a chain file is read as text, and as gzip data", "[io][chain]") {
    testing::temporary_folder const folder;
    io::write_file(folder / "c.json", two_stages);
    io::write_file(folder / "c.json.gz", two_stages);
    CHECK(io::read_chain(folder / "c.json") == io::parse_chain(two_stages));
    CHECK(io::read_chain(folder / "c.json.gz") == io::parse_chain(two_stages));
    CHECK(support::throws<bad_file>([&] { return io::read_chain(folder / "d.json"); }, {"d.json", "no such file"}));
}

TEST_CASE("a chain file: faults are named", "[io][chain]") {
    CHECK(refused_chain("", {"line 1", "not JSON"}));
    CHECK(refused_chain("[]", {"must be an object"}));
    CHECK(refused_chain("{}", {"bw"}));
    for (auto const* field : {"fw", "bw", "cw", "cbw"}) {
        auto const name = "\"" + std::string(field) + "\"";
        CHECK(refused_chain(with(name, "\"nothing\""), {"has no field '" + std::string(field) + "'"}));
        CHECK(refused_chain(with(name + ": [", name + ": [1, 2, 3, 4, 5, "), {field, "numbers", "L"}));
        CHECK(refused_chain(with(name + ": [", name + ": [-1, "), {std::string(field)}));
        CHECK(refused_chain(with(name + ": [", name + ": [1.5, "), {std::string(field) + "[0]", "1.5"}));
        CHECK(refused_chain(with(name + ": [", name + ": [true, "), {std::string(field) + "[0]", "true"}));
        CHECK(refused_chain(with(name + ": ", name + ": 3, \"x\": "), {field, "must be an array"}));
        CHECK(refused_chain(with(name + ": [", name + ": [9223372036854775808, "),
                            {std::string(field) + "[0]", "9223372036854775808"}));
        CHECK(refused_chain(with(name + ": [", name + ": [1" + std::string(20, '0') + ", "),
                            {std::string(field) + "[0]"}));
    }
    CHECK(refused_chain(with("[3, 4]", "[3, -4]"), {"fw[1]", "-4"}));
    CHECK(refused_chain(with("[5, 6, 7]", "[5, 6, -7]"), {"bw[2]", "-7"}));
    CHECK(refused_chain(with("[10, 20, 30]", "[10, 20, -30]"), {"cw[2]", "-30"}));
    CHECK(refused_chain(with("[0, 25, 30]", "[0, -25, 30]"), {"cbw[1]", "-25"}));
    CHECK(refused_chain(with("[0, 25, 30]", "[1, 25, 30]"), {"cbw[0]", "must be 0"}));
    CHECK(refused_chain(with("[0, 25, 30]", "[0, 25, 29]"), {"cbw[2]", "29", "cw[2]", "30", "stage 1"}));
    CHECK(refused_chain(with("[5, 6, 7]", "[]"), {"bw is empty"}));
    CHECK(refused_chain(with("[3, 4]", "[3]"), {"fw has 1", "L = 2", "2 or 3"}));
    CHECK(refused_chain(with("[10, 20, 30]", "[10, 20]"), {"cw has 2", "3 or 4"}));
    CHECK(refused_chain(with("[1, 2]", "[1]"), {"fwd_tmp has 1"}));
    CHECK(refused_chain(with("[1, 2]", "null"), {"fwd_tmp", "must be an array, not null"}));
    CHECK(refused_chain(with("[3, 4, 5]", "[3, 4, 5, 6]"), {"bwd_tmp has 4"}));
    CHECK(refused_chain(with("[3, 4, 5]", "[3, \"4\", 5]"), {"bwd_tmp[1]", "must be an integer"}));
    CHECK(refused_chain(with("\"L\": 2", "\"L\": 3"), {"bw has 3", "L is 3"}));
    CHECK(refused_chain(with("\"L\": 2", "\"L\": -1"), {"L is out of range"}));
    CHECK(refused_chain(with("\"L\": 2", "\"L\": \"2\""), {"L must be an integer"}));
    CHECK(refused_chain(with("\"two\"", "2"), {"name must be a string"}));
    CHECK(refused_chain(with("\"L\": 2", "\"L\": 2, \"L\": 2"), {"occurs twice"}));
    CHECK(refused_chain(with("[5, 6, 7]", "[5, 9223372036854775807, 7]"), {"times", "overflow"}));
    CHECK(refused_chain(with("[0, 25, 30]", "[0, 25, 9223372036854775807]"), {"bytes", "overflow"}));
    CHECK(refused_chain(with("[1, 2]", "[9223372036854775807, 2]"), {"bytes", "overflow"}));
}

TEST_CASE("a spoilt chain file is read, or refused", "[io][chain]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        std::string text = two_stages;
        for (std::size_t changes = 1 + support::below(random, 3); changes > 0; --changes) {
            static std::vector<std::string> const words{
                "-1", "1e300", "[",     "]", ",",  "{}", "null", "9223372036854775807", "-9223372036854775808",
                "\"", ":",     "\"L\"", "0", "1.0"};
            auto const at = support::below(random, text.size());
            text.replace(at, support::below(random, 4), support::pick(random, words));
        }
        try {
            auto const read = io::parse_chain(text);
            RC_ASSERT(!read.chain.stages.empty());
        } catch (bad_file const&) {
        }
    }));
}

TEST_CASE("measured times of a chain are fractions of a unit", "[io][frameworks]") {
    auto const path = support::source_dir() + "/tests/data/frameworks/chain_float_ms.json";
    auto const read = io::read_chain(path, "ms");
    CHECK(read.time_unit == "ns");
    CHECK(read.chain.stages[0].forward_time == 1'250'000);
    CHECK(read.chain.stages[2].backward_time == 4'000'000);
    auto const said = io::parse_chain(R"({"time_unit":"us","fw":[0.25],"bw":[1,0],"cw":[1,1],"cbw":[0,1]})");
    CHECK(said.chain.stages[0].forward_time == 250);
    CHECK(said.chain.stages[0].backward_time == 1000);
    CHECK(support::throws<bad_file>([&] { return io::read_chain(path); },
                                    {"bw[0] is not a whole number: 2.5", "\"time_unit\": \"ms\""}));
}
