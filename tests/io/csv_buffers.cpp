#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/io/csv_buffers.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/random_buffers.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto refused_table(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_buffers(text, "t.csv"); }, words);
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
    CHECK(refused_table("id,lower,end,size\nb,2,9223372036854775807,1\n", {"line 2", "too late"}));
    CHECK(refused_table("id,lower,upper,size,gaps\nb,0,9,1,3\n", {"line 2", "gap", "3"}));
    CHECK(refused_table("id,lower,upper,size,gaps\nb,0,9,1,3-4@1\n", {"line 2", "window"}));
    CHECK(refused_table("id,lower,upper,size,gaps\nb,0,9,1,8-12\n", {"line 2", "buffer b", "[8, 12)"}));
}

TEST_CASE("a table that was written is read again as the same", "[io][property]") {
    CHECK(rc::check([](std::uint64_t seed) {
        support::random_source random(seed);
        io::buffer_table table;
        table.buffers = support::random_buffers(random, support::below(random, 6), 12, 6);
        for (auto& b : table.buffers) {
            table.names.push_back("b" + std::to_string(table.names.size()));
            if (support::chance(random, 30)) b.alignment = 4;
            if (support::chance(random, 30)) b.pinned = 8;
        }
        RC_ASSERT(io::parse_buffers(io::buffers_text(table)) == table);
    }));
}

TEST_CASE("a plan is written as a table with offsets", "[io]") {
    testing::temporary_folder const folder;
    auto const table = io::parse_buffers("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\n");
    CHECK(io::buffers_text(table, std::vector<bytes>{8, 0}) == "id,lower,upper,size,offset\nb1,0,3,4,8\nb2,3,9,4,0\n");
    io::write_buffers(folder / "plan.csv", table, std::vector<bytes>{8, 0});
    CHECK(io::read_buffers(folder / "plan.csv").buffers[0].pinned == 8);
}

TEST_CASE("the tables of the data folder hold the live bytes that are known of them", "[io][data]") {
    auto const golden = support::data_json("public/allocation/golden.json");
    if (!golden) SKIP("there is no data folder public/allocation");
    for (auto const& [name, known] : golden->at("instances").items()) {
        auto const file = support::data_file("public/allocation/" + name);
        auto const own = support::data_file("own/allocation/" + name);
        if (!file && !own) continue;  // made by a generator
        INFO(name);
        auto const table = io::read_buffers(file ? *file : *own);
        CHECK(table.buffers.size() == known.at("n"));
        CHECK(greatest_live_bytes(table.buffers).most == known.at("lower_bound_max_live"));
    }
}
