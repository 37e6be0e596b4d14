// Covers io/buffer_table.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/io/buffer_table.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/golden.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto refused_table(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_buffers(text, "t.csv"); }, words);
}

/// With everything that a table can say.
auto random_table(support::split_mix& random) -> io::buffer_table {
    support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 30,
                                      .pinned_percent = support::below(random, 2) * 30,
                                      .alias_percent = support::below(random, 2) * 40,
                                      .gaps = support::chance(random, 50)};
    io::buffer_table table{.buffers = support::random_arena(random, support::below(random, 6), 12, 6, kinds)};
    while (table.names.size() < table.buffers.size()) table.names.push_back("b" + std::to_string(table.names.size()));
    return table;
}
/// Changes, takes out, doubles, cuts off or puts in a part of a text.
void spoil(support::split_mix& random, std::string& text) {
    static std::vector<std::string> const words{"9223372036854775807",
                                                "-9223372036854775808",
                                                "99999999999999999999",
                                                "-1",
                                                "0",
                                                ",",
                                                "\n",
                                                "\r\n",
                                                " ",
                                                "-",
                                                "@",
                                                ":",
                                                "b1",
                                                "alias",
                                                "id",
                                                "\"",
                                                "1e9",
                                                "0x1"};
    auto const at = support::below(random, text.size() + 1);
    auto const some = std::min(text.size() - at, 1 + support::below(random, 12));
    switch (support::below(random, 5)) {
        case 0:
            if (at < text.size()) text[at] = static_cast<char>(support::between(random, -128, 127));
            break;
        case 1:
            text.erase(at, some);
            break;
        case 2:
            text.insert(at, text.substr(at, some));
            break;
        case 3:
            if (support::chance(random, 20)) text.resize(at);
            break;
        default:
            text.replace(at, support::below(random, 3), support::pick(random, words));
    }
}

}  // namespace

TEST_CASE("a table of buffers is read by the names of its columns", "[io]") {
    auto const table = io::parse_buffers("size,id,upper,lower\n4,b1,3,0\r\n\n 8 , b2 ,9,3\n");
    CHECK(table.names == std::vector<std::string>{"b1", "b2"});
    CHECK(table.buffers == std::vector<buffer>{{.lifetime = {0, 3}, .size = 4}, {.lifetime = {3, 9}, .size = 8}});
    CHECK(io::parse_buffers("id,lower,upper,size").buffers.empty());
}

TEST_CASE("a column called end includes the last time, that of gaps too", "[io]") {
    auto const table = io::parse_buffers("buffer_id,start,end,size,gaps\n7,0,8,4,2-3\n");
    CHECK(table.buffers == std::vector<buffer>{{.lifetime = {0, 9}, .size = 4, .gaps = {{{2, 4}, {}}}}});
}

TEST_CASE("gaps at negative times are read and written", "[io]") {
    io::buffer_table const table{{"a"}, {{.lifetime = {-9, 9}, .size = 4, .gaps = {{{-5, -3}, {}}, {{-1, 2}, {}}}}}};
    CHECK(io::parse_buffers(io::to_text(table)) == table);
}

TEST_CASE("alignments, offsets, gaps and windows are read where they are given", "[io]") {
    auto const table = io::parse_buffers(
        "id,lower,upper,size,alignment,offset,gaps,hint\na,0,9,64,32,96,1-2 4-6@8:16,5\nb,0,9,64,,,,\n");
    CHECK(table.buffers[0] == buffer{.lifetime = {0, 9},
                                     .size = 64,
                                     .alignment = 32,
                                     .pinned = 96,
                                     .gaps = {{{1, 2}, {}}, {{4, 6}, interval{8, 16}}}});
    CHECK(table.buffers[1] == buffer{.lifetime = {0, 9}, .size = 64});
}

TEST_CASE("a table that is none is refused with its line", "[io]") {
    CHECK(refused_table("", {"t.csv", "header"}));
    CHECK(refused_table("id,lower,size\n", {"line 1", "upper"}));
    CHECK(refused_table("id,lower,upper,size,color\n", {"line 1", "color"}));
    CHECK(refused_table("id,lower,upper,end,size\n", {"line 1", "two columns", "upper"}));
    CHECK(refused_table("id,lower,upper,size\na,0,1\n", {"line 2", "3 fields", "4"}));
    CHECK(refused_table("id,lower,upper,size\na,0,1,x\n", {"line 2", "size", "'x'"}));
    CHECK(refused_table("id,lower,upper,size\na,0,1,1.5\n", {"line 2", "'1.5'"}));
    CHECK(refused_table("id,lower,upper,size\na,0,99999999999999999999,1\n", {"line 2", "upper"}));
    CHECK(refused_table("id,lower,upper,size\na,0,1,-1\n", {"line 2", "buffer a", "-1"}));
    CHECK(refused_table("id,lower,upper,size\n\nb,2,1,1\n", {"line 3", "buffer b"}));
    CHECK(refused_table("id,lower,upper,size\na,0,1,4\n\na,0,1,4\n", {"line 4", "buffer a", "in line 2"}));
    CHECK(refused_table("id,lower,end,size\nb,2,9223372036854775807,1\n", {"line 2", "too late"}));
    CHECK(refused_table("id,lower,upper,size,gaps\nb,0,9,1,3\n", {"line 2", "gap", "3"}));
    CHECK(refused_table("id,lower,upper,size,gaps\nb,0,9,1,3-4@1\n", {"line 2", "window"}));
    CHECK(refused_table("id,lower,upper,size,gaps\nb,0,9,1,8-12\n", {"line 2", "buffer b", "[8, 12)"}));
}

TEST_CASE("an alias names the buffer whose alias it is, before it or after", "[io]") {
    auto const table = io::parse_buffers("id,alias,lower,upper,size\na,c,0,9,4\nb,,0,9,4\nc,,0,9,8\nd,c,0,9,2\n");
    CHECK(table.buffers[0].alias_of == 2U);
    CHECK_FALSE(table.buffers[1].alias_of);
    CHECK(table.buffers[3].alias_of == 2U);
    CHECK(io::to_text(table) == "id,lower,upper,size,alias\na,0,9,4,c\nb,0,9,4,\nc,0,9,8,\nd,0,9,2,c\n");
}

TEST_CASE("a buffer may have to lie in a pool", "[io]") {
    auto const table = io::parse_buffers("id,pool,lower,upper,size\na,sram,0,9,4\nb,,0,9,4\n");
    CHECK(table.pools == std::vector<std::string>{"sram", ""});
    CHECK(io::to_text(table) == "id,lower,upper,size,pool\na,0,9,4,sram\nb,0,9,4,\n");
    CHECK(io::parse_buffers("id,lower,upper,size\na,0,9,4\n").pools.empty());
}

TEST_CASE("an alias of an alias lies in the same storage", "[io][frameworks]") {
    auto const table = io::read_buffers(support::source_dir() + "/tests/data/frameworks/alias_of_alias.csv");
    CHECK(table.buffers[1].alias_of == 0U);
    CHECK(table.buffers[2].alias_of == 0U);
    CHECK(io::parse_buffers("id,lower,upper,size,alias\na,0,9,4,b\nb,0,9,4,c\nc,0,9,8,\n").buffers[0].alias_of == 2U);
}

TEST_CASE("an alias that cannot be is refused with its line", "[io]") {
    auto const refused = [](std::string const& lines, std::initializer_list<std::string_view> words) {
        return refused_table("id,lower,upper,size,offset,alias\n" + lines, words);
    };
    CHECK(refused("a,0,1,1,,b\nc,0,1,1,,\n", {"line 2", "buffer a", "alias of b", "no buffer"}));
    CHECK(refused("a,0,1,1,,a\n", {"line 2", "buffer a", "alias of a", "lead back"}));
    CHECK(refused("a,0,1,1,,b\nb,0,1,1,,a\n", {"line 2", "lead back"}));
    CHECK(refused("a,0,1,1,,b\nb,0,1,1,,c\nc,0,1,1,,b\n", {"line 2", "buffer a", "lead back"}));
    CHECK(refused("a,0,1,1,4,b\nb,0,1,1,8,\n", {"line 2", "buffer a", "offset is 4", "b is not pinned there"}));
    CHECK(refused("a,0,1,1,,\nb,0,1,1,4,a\n", {"line 3", "buffer b", "not pinned there"}));
}

TEST_CASE("a table that was written is read again as the same", "[io][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const table = random_table(random);
        RC_ASSERT(io::parse_buffers(io::to_text(table)) == table);
    }));
}

TEST_CASE("a spoiled table is refused with a message, or its buffers can be", "[io][property]") {
    std::size_t refused = 0;
    std::size_t read = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const text = io::to_text(random_table(random));
        for (int i = 0; i < 10; ++i) {
            auto spoiled = text;
            for (auto count = 1 + support::below(random, 3); count > 0; --count) spoil(random, spoiled);
            try {
                auto const table = io::parse_buffers(spoiled);
                detail::require_valid_buffers(table.buffers);
                RC_ASSERT(table.names.size() == table.buffers.size());
                ++read;
            } catch (bad_file const& e) {
                RC_ASSERT(!std::string_view(e.what()).empty());
                ++refused;
            }
        }
    }));
    CHECK(refused > 200);
    CHECK(read > 12);
}

TEST_CASE("a plan is written as a table with offsets", "[io]") {
    testing::temporary_folder const folder;
    auto const table = io::parse_buffers("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\n");
    CHECK(io::to_text(table, std::vector<bytes>{8, 0}) == "id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,4,0\n");
    io::write_buffers(folder / "plan.csv", table, std::vector<bytes>{8, 0});
    CHECK(io::read_buffers(folder / "plan.csv").buffers[0].pinned == 8);
}

TEST_CASE("the tables of the data folder have the known peaks of live bytes", "[io][data]") {
    auto const golden = support::data_json("public/allocation/golden.json");
    if (!golden) SKIP("there is no data folder public/allocation");
    for (auto const& [name, known] : golden->at("instances").items()) {
        auto const file = support::data_file("public/allocation/" + name);
        auto const own = support::data_file("own/allocation/" + name);
        if (!file && !own) continue;  // made by a generator
        INFO(name);
        auto const table = io::read_buffers(file ? *file : *own);
        CHECK(table.buffers.size() == known.at("n"));
        CHECK(find_live_bytes(table.buffers).most == known.at("lower_bound_max_live"));
    }
}

TEST_CASE("carriage returns at the ends of fields do not count, at the end of a line or in it", "[io]") {
    auto const table = io::parse_buffers("id,lower,upper,size,pool,offset\n\ra\r,0,3,8,fast\r\r,\r\r\n");
    CHECK(table.names == std::vector<std::string>{"a"});
    CHECK(table.pools == std::vector<std::string>{"fast"});
    CHECK(io::parse_buffers(io::to_text(table)) == table);
}

TEST_CASE("a table from a spreadsheet may begin with a byte order mark and have tabs around its fields", "[io]") {
    auto const table = io::parse_buffers("\xef\xbb\xbfid,lower,upper,size\r\na,\t0,3 ,\t8\r\n \t\r\n");
    CHECK(table.names == std::vector<std::string>{"a"});
    CHECK(table.buffers == std::vector<buffer>{{.lifetime = {0, 3}, .size = 8}});
}
