#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// A forward pass whose first value, of 8 bytes, is read at the end only, with a result.
auto long_gap_file(temporary_folder const& folder) -> std::string {
    auto const file = (folder / "long_gap.json").string();
    write(file, R"({"name": "gap", "time_unit": "us", "nodes": [
        {"id": 0, "time": 10, "memory": 8000}, {"id": 1, "time": 20, "memory": 8000},
        {"id": 2, "time": 1, "memory": 1000, "result": true}],
        "edges": [[0, 1], [0, 2], [1, 2]]})");
    return file;
}

constexpr std::array copy_fields{"base_order_bound", "bytes_out",        "bytes_in",    "host_peak",
                                 "stall_for_data",   "stall_for_memory", "stall_at_end"};

}  // namespace

TEST_CASE("plan --link: it says what is copied, and both bounds", "[plan]") {
    auto const base = std::vector<std::string>{unet, "--budget", "60%", "--strategy", "automatic", "--time-limit", "2"};
    auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), base.begin(), base.end());
        return run(more);
    };
    auto const planned = with({"--link", "400GB/s", "--json"});
    REQUIRE(planned.status == 0);
    CHECK(planned.answer().at("link") == "400GB/s");
    CHECK(planned.answer().at("rho") > 0);
    auto const plan = planned.plan();
    for (auto const* field : copy_fields) CHECK(plan.contains(field));
    CHECK(plan.at("lower_bound") <= plan.at("base_order_bound"));
    CHECK(plan.at("bytes_out") > 0);
    CHECK(plan.at("bytes_in") > 0);
    CHECK(plan.at("host_peak") <= plan.at("bytes_out"));
    // Never slower than without.
    CHECK(plan.at("time") <= with({"--json"}).plan().at("time"));
    auto const table = with({"--link", "400GB/s"});
    CHECK(table.status == 0);
    for (auto const* word : {"over the link 400GB/s, rho ", "any order", "base order", "copied out", "host peak"})
        CHECK(table.out.find(word) != std::string::npos);
    auto const little = with({"--link", "400GB/s", "--host-budget", "0", "--json"}).plan();
    CHECK(little.at("bytes_out") == 0);
    auto const plain = with({"--json"});
    CHECK_FALSE(plain.answer().contains("link"));
    CHECK_FALSE(plain.plan().contains("bytes_out"));
}

TEST_CASE("plan --link: a schedule with copies is written and replays to the same figures", "[plan]") {
    temporary_folder const folder;
    auto const file = (folder / "plan.json").string();
    for (auto const* link : {"400GB/s", "nvlink-c2c,1us", "400GB/s,half-duplex"}) {
        INFO(link);
        auto const planned = run({unet, "--budget", "50%", "--strategy", "automatic", "--time-limit", "2", "--link",
                                  link, "--schedule", file, "--json"});
        REQUIRE(planned.status == 0);
        CHECK(text_of(file).find("\"offload\"") != std::string::npos);
        CHECK(json::parse(text_of(file)).at("link") == link);
        for (bool const said : {true, false}) {
            std::vector<std::string> arguments{unet, "--replay", file, "--json"};
            if (said) arguments.insert(arguments.end(), {"--link", link});
            auto const replayed = run(arguments);
            CHECK(replayed.status == 0);
            CHECK(replayed.err.empty());
            CHECK(figures(replayed.plan()) == figures(planned.plan()));
            CHECK(replayed.plan().at("stall_for_data") == planned.plan().at("stall_for_data"));
        }
        auto const slower = run({unet, "--replay", file, "--json", "--link", "1GB/s"});
        CHECK(slower.plan().at("time") > planned.plan().at("time"));
        CHECK(slower.says("promises a time"));
    }
}

TEST_CASE("plan --link: times of a file with a unit are nanoseconds", "[plan]") {
    temporary_folder const folder;
    auto const file = long_gap_file(folder);
    // 8,000 bytes at 2 GB/s take 4 us; computing 0 again takes 10 us.
    auto const planned =
        run({file, "--inference", "--budget", "16000", "--strategy", "automatic", "--link", "2GB/s", "--json"});
    CHECK((planned.status == 0 || planned.status == 3));
    CHECK(planned.answer().at("rho") > 0.2);
    CHECK(planned.answer().at("rho") < 1);
}

TEST_CASE("plan --links: one row without copies, and one for each link", "[plan]") {
    std::vector<std::string> const arguments{unet,           "--budget", "60%", "--links", "100GB/s,nvlink-c2c",
                                             "--time-limit", "4"};
    auto with_json = arguments;
    with_json.emplace_back("--json");
    auto const all = run(with_json);
    REQUIRE(all.status == 0);
    auto const rows = all.answer().at("links");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].at("link").is_null());
    CHECK(rows[1].at("link") == "100GB/s");
    CHECK(rows[2].at("link") == "nvlink-c2c");
    CHECK(rows[1].at("rho") > rows[2].at("rho"));
    for (auto const& row : rows)
        for (auto const* field : copy_fields) CHECK(row.contains(field));
    auto const table = run(arguments);
    CHECK(table.status == 0);
    for (auto const* word : {"none", "100GB/s, rho ", "nvlink-c2c, rho "})
        CHECK(table.out.find(word) != std::string::npos);
}

TEST_CASE("plan --curve with --link: copies and both bounds in each point", "[plan]") {
    auto const found = run({unet, "--curve", "90%,60%", "--link", "400GB/s", "--time-limit", "4", "--json"});
    REQUIRE(found.status == 0);
    auto const points = found.answer().at("curve");
    REQUIRE(points.size() == 2);
    for (auto const& point : points)
        for (auto const* field : copy_fields) CHECK(point.contains(field));
    CHECK(points[0].at("time") <= points[1].at("time"));
}

TEST_CASE("plan --device: the roofline of a machine", "[plan]") {
    auto const time_of = [](std::vector<std::string> arguments) {
        for (auto const* more : {"resnet18", "--budget", "100%", "--strategy", "keep_all", "--json"})
            arguments.emplace_back(more);
        return run(arguments).plan().at("time");
    };
    CHECK(time_of({"--device", "a100"}) == time_of({}));
    CHECK(time_of({"--device", "1080ti"}) ==
          time_of({"--flops-per-second", "9.072e12", "--bytes-per-second", "387.2e9"}));
    CHECK(time_of({"--device", "h100"}) < time_of({"--device", "1080ti"}));
}

TEST_CASE("plan --link: what is no link is refused in one line", "[plan]") {
    using words = std::vector<std::string>;
    for (auto const& [arguments, said] : std::vector<std::pair<words, words>>{
             {{"--link", "fast"}, {"--link", "fast", "pcie4"}},
             {{"--link", "0B/s"}, {"--link", "0B/s"}},
             {{"--link", "12G/s"}, {"--link", "12G"}},
             {{"--link", "12GB/s,soon"}, {"--link", "soon", "half-duplex"}},
             {{"--link", "12GB/s,-1us"}, {"--link", "-1us"}},
             {{"--links", "12GB/s,"}, {"--links"}},
             {{"--link", "12GB/s", "--links", "12GB/s"}, {"--links", "--link"}},
             {{"--host-budget", "1GiB"}, {"--host-budget", "--link"}},
             {{"--link", "12GB/s", "--host-budget", "much"}, {"--host-budget", "much"}},
             {{"--link", "12GB/s", "--in-place"}, {"--in-place", "--link"}},
             {{"--device", "pcie4"}, {"--device", "pcie4"}},
             {{"--device", "a100"}, {"--device", "is a file"}}}) {
        auto all = arguments;
        all.insert(all.begin(), unet);
        auto const refused = run(all);
        INFO(refused.err);
        CHECK(refused.status == 2);
        CHECK(std::ranges::count(refused.err, '\n') == 1);
        for (auto const& word : said) CHECK(refused.says(word));
    }
}
