#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/io/buffer_table.hpp>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// Three buffers of which the first and the last are never live together.
constexpr char const* three = "id,lower,upper,size\na,0,2,10\nb,1,3,20\nc,2,4,10\n";

[[nodiscard]] auto offsets_in(repebble::io::buffer_table& table) -> std::vector<repebble::bytes> {
    std::vector<repebble::bytes> offsets;
    for (auto& b : table.buffers) {
        offsets.push_back(b.pinned.value());
        b.pinned.reset();
    }
    return offsets;
}

}  // namespace

// ---- what it prints --------------------------------------------------------------------------------------------

TEST_CASE("allocate: the JSON has exactly the documented fields", "[allocate]") {
    for (std::vector<std::string> const& how :
         {std::vector<std::string>{"--minimise"}, {"--capacity", "1MiB"}, {"--capacity", "1"}}) {
        std::vector<std::string> arguments{lstm_buffers, "--json"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        auto const done = run_allocate(arguments);
        CHECK(done.err.empty());
        CHECK(std::ranges::count(done.out, '\n') == 1);
        CHECK(ordered_keys(nlohmann::ordered_json::parse(done.out)) ==
              std::vector<std::string>{"buffers", "lower_bound", "height", "fits", "height_least", "none_exists",
                                       "seconds"});
        CHECK(done.answer().at("buffers") == 51);
        CHECK(done.answer().at("seconds").get<double>() >= 0);
    }
}

TEST_CASE("allocate: minimise, and what is proven of it", "[allocate]") {
    auto const done = run_allocate({lstm_buffers, "--minimise", "--json"});
    CHECK(done.status == 0);
    auto const answer = done.answer();
    CHECK(answer.at("lower_bound") == repebble::find_live_bytes(repebble::io::read_buffers(lstm_buffers).buffers).most);
    CHECK(answer.at("height") == answer.at("lower_bound"));
    CHECK(answer.at("fits") == true);
    CHECK(answer.at("height_least") == true);
    auto const words = run_allocate({lstm_buffers, "--minimize"}).out;
    CHECK(words.find("lstm_buffers.csv: 51 buffers") != std::string::npos);
    CHECK(words.find("1.0000 of the lower bound") != std::string::npos);
    CHECK(words.find("height least") != std::string::npos);
}

TEST_CASE("allocate: a capacity, and what is proven of it", "[allocate]") {
    temporary_folder const folder;
    auto const file = (folder / "three.csv").string();
    write(file, three);
    auto const fits = run_allocate({file, "--capacity", "30", "--json"});
    CHECK(fits.status == 0);
    CHECK((fits.answer().at("fits") == true && fits.answer().at("none_exists") == false));
    CHECK(fits.answer().at("height") == 30);
    CHECK(run_allocate({file, "--capacity", "1KiB"}).out.find("fits into 1024 bytes (1.00 KiB)") != std::string::npos);
    auto const never = run_allocate({file, "--capacity", "29", "--json"});
    CHECK(never.status == 3);
    CHECK((never.answer().at("fits") == false && never.answer().at("none_exists") == true));
    CHECK(run_allocate({file, "--capacity", "29"}).out.find("none exists") != std::string::npos);
    CHECK(run_allocate({file, "--capacity", "0"}).status == 3);
}

TEST_CASE("allocate: a time limit is kept, and the answer is a plan", "[allocate]") {
    temporary_folder const folder;
    auto const out = (folder / "out.csv").string();
    for (auto const* limit : {"0", "0.2", "5"}) {
        INFO(limit);
        REQUIRE(run_allocate({lstm_buffers, "--minimise", "--time-limit", limit, "--out", out}).status == 0);
        auto table = repebble::io::read_buffers(out);
        auto const offsets = offsets_in(table);
        CHECK_FALSE(repebble::verify_offsets(table.buffers, offsets).fault);
    }
}

TEST_CASE("allocate: no buffers, and buffers of nothing", "[allocate]") {
    temporary_folder const folder;
    auto const file = (folder / "none.csv").string();
    auto const picture = (folder / "none.svg").string();
    for (auto const* text : {"id,lower,upper,size\n", "id,lower,upper,size\na,3,3,5\nb,1,2,0\n"}) {
        write(file, text);
        auto const done = run_allocate({file, "--minimise", "--json", "--svg", picture});
        CHECK(done.status == 0);
        CHECK(done.answer().at("lower_bound") == done.answer().at("height"));
        CHECK(done.answer().at("height_least") == true);
        CHECK(is_well_formed(text_of(picture)));
        CHECK(run_allocate({file, "--minimise"}).status == 0);
    }
}

// ---- what it writes --------------------------------------------------------------------------------------------

TEST_CASE("allocate: what is written is the table with the plan", "[allocate]") {
    temporary_folder const folder;
    for (auto const* name : {"out.csv", "out.csv.gz"}) {
        auto const out = (folder / name).string();
        auto const done = run_allocate({lstm_buffers, "--minimise", "--json", "--out", out});
        REQUIRE(done.status == 0);
        CHECK((text_of(out).substr(0, 2) == "\x1f\x8b") == std::string(name).ends_with(".gz"));
        auto table = repebble::io::read_buffers(out);
        auto const offsets = offsets_in(table);
        CHECK(table == repebble::io::read_buffers(lstm_buffers));
        auto const verdict = repebble::verify_offsets(table.buffers, offsets);
        CHECK_FALSE(verdict.fault);
        CHECK(verdict.height == done.answer().at("height"));
        CHECK(run_allocate({out, "--minimise", "--json"}).answer().at("height") == verdict.height);  // all is pinned
    }
}

TEST_CASE("allocate: alignments, gaps and pins come through", "[allocate]") {
    temporary_folder const folder;
    auto const file = (folder / "in.csv").string();
    auto const out = (folder / "out.csv").string();
    write(file, "id,lower,upper,size,alignment,gaps,offset\na,0,9,24,8,2-4 5-7@0:8,\nb,2,4,24,8,,\nc,0,9,5,1,,100\n");
    auto const done = run_allocate({file, "--minimise", "--json", "--out", out});
    REQUIRE(done.status == 0);
    CHECK(done.answer().at("height") == 105);
    auto const table = repebble::io::read_buffers(out);
    CHECK(table.buffers[0].gaps.size() == 2);
    CHECK(table.buffers[2].pinned == 100);
    auto plain = table;
    CHECK_FALSE(repebble::verify_offsets(table.buffers, offsets_in(plain)).fault);
}

TEST_CASE("allocate: a plan that does not fit is drawn, and not written", "[allocate]") {
    temporary_folder const folder;
    auto const out = folder / "out.csv";
    auto const picture = folder / "out.svg";
    CHECK(run_allocate({lstm_buffers, "--capacity", "1", "--out", out.string(), "--svg", picture.string()}).status ==
          3);
    CHECK_FALSE(std::filesystem::exists(out));
    CHECK(is_well_formed(text_of(picture)));
}

TEST_CASE("allocate: the picture is well-formed XML, whatever the names are", "[allocate]") {
    temporary_folder const folder;
    auto const picture = (folder / "out.svg").string();
    REQUIRE(run_allocate({lstm_buffers, "--capacity", "8EB", "--svg", picture}).status == 0);
    auto const text = text_of(picture);
    CHECK(is_well_formed(text));
    CHECK(text.find("<title>forward 0 output 0 run 0: time [0, 139), size 8192, offset ") != std::string::npos);
    for (auto const* level : {">height 402 KiB<", ">lower bound 402 KiB<", ">capacity 6.94 EiB<"})
        CHECK(text.find(level) != std::string::npos);

    auto const file = (folder / "in&\"<>.csv").string();
    write(file,
          "id,lower,upper,size,gaps\n<a&\"'>,0,9,8,2-3 4-6@2:5\n\xff\xfe\x01,0,1,2,\n\xc3\xa4,-5,1,2,\n,3,4,2,\n");
    REQUIRE(run_allocate({file, "--minimise", "--svg", picture}).status == 0);
    CHECK(is_well_formed(text_of(picture)));
    CHECK(text_of(picture).find("\xc3\xa4: time [-5, 1)") != std::string::npos);
}

TEST_CASE("allocate: a picture of very many buffers stays small", "[allocate]") {
    temporary_folder const folder;
    auto const file = (folder / "many.csv").string();
    auto const picture = (folder / "many.svg").string();
    std::string text = "id,lower,upper,size\n";
    for (int i = 0; i < 30'000; ++i)
        text += std::to_string(i) + ',' + std::to_string(i) + ',' + std::to_string(i + 3) + ",8\n";
    write(file, text);
    REQUIRE(run_allocate({file, "--minimise", "--svg", picture}).status == 0);
    auto const drawn = text_of(picture);
    CHECK(is_well_formed(drawn));
    CHECK(drawn.find("<title>10000 small buffers</title>") != std::string::npos);
    CHECK(drawn.size() < 5'000'000);
}

TEST_CASE("allocate: a table is placed as low as can be where nothing else is asked for", "[allocate]") {
    CHECK(run_allocate({lstm_buffers, "--json"}).answer().at("height_least") == true);
}

// ---- several memories, graphs, C ---------------------------------------------------------------------------------

TEST_CASE("allocate: pools are filled, written and kept", "[allocate]") {
    temporary_folder const folder;
    auto const file = (folder / "three.csv").string(), out = (folder / "out.csv").string();
    write(file, three);
    auto const done = run_allocate(
        {file, "--pools", "fast=20,slow=10", "--json", "--out", out, "--svg", (folder / "o.svg").string()});
    REQUIRE(done.status == 0);
    auto answer = done.answer();
    CHECK(answer.at("fits") == true);
    CHECK(answer.at("pools").at(0) == json{{"name", "fast"}, {"capacity", 20}, {"height", 20}, {"buffers", 1}});
    CHECK(answer.at("pools").at(1) == json{{"name", "slow"}, {"capacity", 10}, {"height", 10}, {"buffers", 2}});
    CHECK(text_of(out) == "id,lower,upper,size,pool,offset\na,0,2,10,slow,0\nb,1,3,20,fast,0\nc,2,4,10,slow,0\n");
    CHECK(run_allocate({out, "--pools", "slow=10,fast=20"}).out.find("fast         20 bytes") != std::string::npos);
    CHECK(run_allocate({out}).says("buffer a: it must lie in the pool slow"));
    auto const never = run_allocate({file, "--pools", "fast=19,slow=10", "--json", "--c", out + ".h"});
    CHECK(never.status == 3);
    CHECK(never.answer().at("none_exists") == true);
    CHECK(never.answer().at("pools").at(0).at("height").is_null());
    CHECK_FALSE(std::filesystem::exists(out + ".h"));
    CHECK(run_allocate({file, "--pools", "fast=19,slow=10"}).out.find("none exists") != std::string::npos);
}

TEST_CASE("allocate: a C header has a row for each buffer, whatever its name is", "[allocate]") {
    temporary_folder const folder;
    auto const file = (folder / "3 buffers.v2.csv").string(), header = (folder / "o.h").string();
    write(file, "id,lower,upper,size,alignment,alias\n\"a\\?\?/\xff,0,2,10,6,\nb,-1,3,20,4,\nc,0,1,2,1,b\n");
    REQUIRE(run_allocate({file, "--c", header}).status == 0);
    auto const text = text_of(header);
    for (auto const* line :
         {"#define GRAPH_3_BUFFERS_ALIGNMENT 12 ", "#define GRAPH_3_BUFFERS_ARENA_SIZE 32 ",
          "    {\"\\042a\\134\\077\\077/\\377\", \"\\042a\\134\\077\\077/\\377\", 0, 0, 10, 0, 0, 1},\n",
          "    {\"b\", \"b\", 0, 12, 20, 1, -1, 2},\n", "    {\"c\", \"c\", 0, 12, 2, 1, 0, 0},\n"})
        CHECK(text.find(line) != std::string::npos);
}

TEST_CASE("allocate: a graph is placed in the order of least peak, in place or not, with the ids of plan",
          "[allocate]") {
    temporary_folder const folder;
    auto const model = source("tests/data/onnx/googlenet.onnx.gz");
    auto const out = (folder / "out.csv").string(), arena = (folder / "arena.csv").string();
    auto const height = [&](std::string const& option, std::string const& value = "") {
        std::vector<std::string> all{model, "--json", "--out", out, option};
        if (!value.empty()) all.push_back(value);
        return run_allocate(all).answer().at("height").get<repebble::bytes>();
    };
    auto const whole = height("--no-in-place"), least = height("--order", "least"), in_place = height("--in-place");
    CHECK(least <= in_place);
    CHECK(in_place < whole);
    REQUIRE(
        run({model, "--inference", "--strategy", "keep_all", "--budget", "100%", "--in-place", "--arena-out", arena})
            .status == 0);
    auto const own = repebble::io::read_buffers(out), all = repebble::io::read_buffers(arena);
    CHECK(own.names.size() > 130);
    CHECK(std::ranges::count_if(own.buffers, [](auto const& b) { return b.alias_of.has_value(); }) > 50);
    for (auto const& name : own.names) CHECK(std::ranges::find(all.names, name) != all.names.end());
    CHECK(run_allocate({joint, "--order", "least", "--json"}).status == 0);
    CHECK(run_allocate({"resnet18", "--batch", "2", "--json"}).answer().at("height_least") == true);
}

TEST_CASE("allocate: a graph is placed by the schedule of a plan, runs again included", "[allocate]") {
    temporary_folder const folder;
    auto const plan = (folder / "plan.json").string(), arena = (folder / "arena.csv").string();
    auto const out = (folder / "out.csv").string(), header = (folder / "o.h").string();
    for (auto const* convention : conventions) {
        INFO(convention);
        auto const planned = run({residual, "--convention", convention, "--budget", "90%", "--strategy", "automatic",
                                  "--in-place", "--schedule", plan, "--arena-out", arena, "--json"});
        REQUIRE(planned.status == 0);
        auto const done = run_allocate({residual, "--order", plan, "--out", out, "--c", header, "--json"});
        CHECK(done.status == 0);
        CHECK(done.answer().at("height") == planned.plan().at("arena"));
        CHECK(text_of(out).substr(0, text_of(out).find('\n')) == text_of(arena).substr(0, text_of(arena).find('\n')));
        CHECK(std::ranges::count(text_of(out), '\n') == std::ranges::count(text_of(arena), '\n'));
        CHECK(text_of(header).find("\"node 3 gradient\"") != std::string::npos);
    }
    CHECK(run_allocate({residual, "--order", plan, "--in-place"}).says("said by the schedule"));
    CHECK(run_allocate({joint, "--order", plan}).status == 2);
}

TEST_CASE("allocate: pools of a graph have the least traffic outside of the first, or a bound on it", "[allocate]") {
    auto const traffic = [](std::string const& pools) {
        return run_allocate({source("tests/data/onnx/resnet18_unfused.onnx.gz"), "--pools", pools, "--json"}).answer();
    };
    auto const little = traffic("sram=16MiB,dram=128MiB"), much = traffic("sram=64MiB,dram=128MiB");
    CHECK(little.at("traffic") >= little.at("traffic_bound"));
    CHECK(much.at("traffic") < little.at("traffic"));
    CHECK(traffic("sram=128MiB,dram=1KiB").at("traffic") == 0);
}

TEST_CASE("allocate: with copies a graph's buffers are in several pools one after the other", "[allocate]") {
    temporary_folder const folder;
    auto const out = (folder / "stays.csv").string();
    std::string const pools = "sram=64MiB,dram=1GiB";
    auto const without = run_allocate({"unet", "--batch", "1", "--pools", pools, "--json"}).answer();
    auto const with =
        run_allocate({"unet", "--batch", "1", "--pools", pools, "--copies", "--json", "--out", out}).answer();
    CHECK(with.at("traffic") < without.at("traffic"));
    CHECK(with.at("traffic") >= with.at("traffic_bound"));
    REQUIRE(!with.at("copies").empty());
    auto const& copy = with.at("copies").at(0);
    CHECK(copy.at("from") != copy.at("to"));
    auto const table = text_of(out);
    CHECK(table.find(copy.at("buffer").get<std::string>() + " from " + std::to_string(copy.at("time").get<int>())) !=
          table.npos);
    CHECK(std::ranges::count(table, '\n') ==
          1 + without.at("buffers").get<int>() + static_cast<int>(with.at("copies").size()));
    CHECK(run_allocate({out, "--pools", pools}).status == 0);  // no stays overlap
}

// ---- bad input -------------------------------------------------------------------------------------------------

TEST_CASE("allocate: whatever is wrong, the exit status is 2 and one line names the culprit", "[allocate]") {
    temporary_folder const folder;
    int files = 0;
    auto const file = [&](std::string const& text) {
        auto const path = folder / (std::to_string(files++) + ".csv");
        write(path, text);
        return path.string();
    };
    auto const missing = (folder / "missing.csv").string();
    auto const chain = resnet_chain;  // JSON, and no graph
    std::string const header = "id,lower,upper,size\n";
    struct wrong {
        std::vector<std::string> arguments;
        std::vector<std::string> culprit;
    };
    auto const minimised = [&](std::string const& text, std::vector<std::string> culprit) {
        auto const path = file(text);
        culprit.push_back(path);
        return wrong{{path, "--minimise"}, culprit};
    };
    std::vector<wrong> const table{
        {{}, {"file"}},
        {{lstm_buffers, "--order", "least"}, {"--order", lstm_buffers + " is a table"}},
        {{residual, "--order", "backwards"}, {"--order", "backwards"}},
        {{residual, "--order", (folder / "no.json").string()}, {"no.json", "no such file"}},
        {{residual, "--order", residual}, {residual}},
        {{"resnet0"}, {"resnet0"}},
        {{lstm_buffers, "--pools", "a=1GiB", "--copies"}, {"--copies", "table"}},
        {{"unet", "--copies"}, {"--copies", "--pools"}},
        {{"unet", "--pools", "a=1GiB", "--copies", "--c", "o.h"}, {"--c", "--copies"}},
        {{lstm_buffers, "--pools", "sram"}, {"--pools", "sram is not NAME=SIZE"}},
        {{lstm_buffers, "--pools", "1st=8"}, {"--pools", "1st=8"}},
        {{lstm_buffers, "--pools", "a=1,A=2"}, {"--pools", "two pools are called A"}},
        {{lstm_buffers, "--pools", "a=1", "--capacity", "1"}, {"--pools", "--capacity"}},
        {{lstm_buffers, "--capacity", "1MiB", "--minimise"}, {"--minimise", "--capacity"}},
        {{lstm_buffers, "--capacity"}, {"--capacity"}},
        {{lstm_buffers, "--capacity", "1MB5"}, {"--capacity", "1MB5"}},
        {{lstm_buffers, "--capacity", "-1"}, {"-1"}},
        {{lstm_buffers, "--capacity", "60%"}, {"60%"}},
        {{lstm_buffers, "--capacity", "8EiB"}, {"8EiB"}},
        {{lstm_buffers, "--capacity", ""}, {"--capacity"}},
        {{lstm_buffers, "--minimise", "--time-limit", "-1"}, {"--time-limit", "-1"}},
        {{lstm_buffers, "--minimise", "--time-limit", "nan"}, {"--time-limit", "nan"}},
        {{lstm_buffers, "--minimise", "--time-limit", "inf"}, {"--time-limit", "inf"}},
        {{lstm_buffers, "--minimise", "--time-limit", "1s"}, {"--time-limit", "1s"}},
        {{lstm_buffers, "--minimise", "--no-such-option"}, {"--no-such-option"}},
        {{lstm_buffers, "second.csv", "--minimise"}, {"second.csv"}},
        {{lstm_buffers, "--minimise", "--out", (folder / "no/such/out.csv").string()}, {"no/such/out.csv"}},
        {{lstm_buffers, "--minimise", "--svg", (folder / "no/such/out.svg").string()}, {"no/such/out.svg"}},
        {{missing, "--minimise"}, {missing, "no such file"}},
        {{folder.path().string(), "--minimise"}, {folder.path().string(), "directory"}},
        {{chain, "--minimise"}, {chain}},
        minimised("", {"header"}),
        minimised("\n\n", {"header"}),
        minimised("id,lower,upper\n", {"line 1", "size"}),
        minimised("id,lower,upper,size,colour\n", {"line 1", "colour"}),
        minimised(header + "a,0,1,2\nb,0,1\n", {"line 3", "3 fields"}),
        minimised(header + "a,0,1,2,3\n", {"line 2", "5 fields"}),
        minimised(header + "a,0,1,2\n\nb,x,1,2\n", {"line 4", "lower", "'x'"}),
        minimised(header + "a,0,1,1e3\n", {"line 2", "size", "'1e3'"}),
        minimised(header + "a,0,1,99999999999999999999\n", {"line 2", "99999999999999999999"}),
        minimised(header + "a,5,1,2\n", {"line 2", "buffer a", "ends before it begins"}),
        minimised(header + "a,0,1,-2\n", {"line 2", "buffer a", "negative"}),
        minimised("id,lower,upper,size,alignment\na,0,1,2,0\n", {"line 2", "alignment"}),
        minimised("id,lower,upper,size,gaps\na,0,9,2,3\n", {"line 2", "gap"}),
        minimised("id,lower,upper,size,gaps\na,0,9,2,3-10\n", {"line 2", "gap"}),
        minimised("id,lower,upper,size,gaps\na,0,9,2,3-4@1:5\n", {"line 2", "window"}),
        minimised("id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,4\n", {"buffers a and b"}),
        minimised(header + "a,0,1,9000000000000000000\nb,0,1,9000000000000000000\n", {"9000000000000000000"}),
        minimised("\x1f\x8b", {"gzip"}),
        minimised(std::string("\x00\x01\x02\x03", 4), {"line 1"}),
    };
    for (auto const& [arguments, culprit] : table) {
        auto const done = run_allocate(arguments);
        std::string line;
        for (auto const& a : arguments) line += a + " ";
        INFO(line << "\n" << done.err);
        CHECK(done.status == 2);
        CHECK(done.out.empty());
        CHECK(std::ranges::count(done.err, '\n') == 1);
        CHECK(done.err.starts_with("allocate: "));
        for (auto const& word : culprit) CHECK(done.says(word));
    }
    CHECK(run_allocate({"--help"}).status == 0);
    CHECK(run_allocate({"--help"}).out.find("--minimise") != std::string::npos);
}
