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

/// Eight operations of a millisecond and a megabyte each in a row; their gradients take 2 ms each.
auto chain_file(temporary_folder const& folder) -> std::string {
    json net{{"name", "chain"}, {"time_unit", "us"}, {"nodes", json::array()}, {"edges", json::array()}};
    for (int k = 0; k < 8; ++k) net["nodes"].push_back({{"id", k}, {"time", 1000}, {"memory", 1'000'000}});
    for (int k = 0; k < 7; ++k) net["edges"].push_back({k, k + 1});
    auto const file = (folder / "chain_net.json").string();
    write(file, net.dump());
    return file;
}

constexpr std::array copy_fields{"base_order_bound", "bytes_out",        "bytes_in",    "host_peak",
                                 "stall_for_data",   "stall_for_memory", "stall_at_end"};

}  // namespace

TEST_CASE("plan --link: it says what is copied, and both bounds", "[plan]") {
    temporary_folder const folder;
    auto const with = [&, file = chain_file(folder)](std::vector<std::string> arguments) {
        for (auto const* more : {file.c_str(), "--budget", "60%", "--strategy", "automatic"})
            arguments.emplace_back(more);
        return run(arguments);
    };
    auto const planned = with({"--link", "1GB/s", "--json"});
    REQUIRE(planned.status == 0);
    CHECK(planned.answer().at("link") == "1GB/s");
    CHECK(planned.answer().at("rho").get<double>() == Approx(10.0 / 24));  // 10 MB in 10 ms, everything once in 24
    auto const plan = planned.plan();
    for (auto const* field : copy_fields) CHECK(plan.contains(field));
    CHECK(plan.at("lower_bound") <= plan.at("base_order_bound"));
    CHECK(plan.at("bytes_out") > 0);
    CHECK(plan.at("bytes_in") > 0);
    CHECK(plan.at("host_peak") <= plan.at("bytes_out"));
    CHECK(plan.at("overhead") == 0);
    CHECK(plan.at("time_least") == true);
    auto const table = with({"--link", "1GB/s"});
    CHECK(table.status == 0);
    for (auto const* word : {"over the link 1GB/s, rho 0.42", "any order", "base order", "copied out", "host peak"})
        CHECK(table.out.find(word) != std::string::npos);
    // Without a link, or memory on the host, nothing is copied.
    auto const plain = with({"--json"});
    CHECK_FALSE(plain.answer().contains("link"));
    CHECK_FALSE(plain.plan().contains("bytes_out"));
    CHECK(plain.plan().at("overhead") > 0);
    auto const little = with({"--link", "1GB/s", "--host-budget", "0", "--json"}).plan();
    CHECK(little.at("bytes_out") == 0);
    CHECK(little.at("time") == plain.plan().at("time"));
}

TEST_CASE("plan --link: a schedule with copies is written and replays to the same figures", "[plan]") {
    temporary_folder const folder;
    auto const net = chain_file(folder), file = (folder / "plan.json").string();
    for (auto const* link : {"1GB/s", "pcie3,100us", "2GB/s,half-duplex"}) {
        INFO(link);
        auto const planned =
            run({net, "--budget", "50%", "--strategy", "automatic", "--link", link, "--schedule", file, "--json"});
        REQUIRE(planned.status == 0);
        CHECK(text_of(file).find("\"offload\"") != std::string::npos);
        CHECK(json::parse(text_of(file)).at("link") == link);
        for (bool const said : {true, false}) {
            std::vector<std::string> arguments{net, "--replay", file, "--json"};
            if (said) arguments.insert(arguments.end(), {"--link", link});
            auto const replayed = run(arguments);
            CHECK(replayed.status == 0);
            CHECK(replayed.err.empty());
            CHECK(figures(replayed.plan()) == figures(planned.plan()));
            CHECK(replayed.plan().at("stall_for_data") == planned.plan().at("stall_for_data"));
        }
        auto const slower = run({net, "--replay", file, "--json", "--link", "100MB/s"});
        CHECK(slower.plan().at("time") > planned.plan().at("time"));
        CHECK(slower.says("promises a time"));
    }
}

TEST_CASE("plan: a graph file's link and host budget count where the command line says none", "[plan]") {
    temporary_folder const folder;
    auto const plain = chain_file(folder);
    auto net = json::parse(text_of(plain));
    auto const made = [&](std::vector<std::string> arguments) {
        for (auto const* more : {"--budget", "60%", "--strategy", "automatic", "--json"}) arguments.emplace_back(more);
        return run(arguments);
    };
    auto const file = (folder / "linked.json").string();
    net["link"] = {{"bandwidth", "1GB/s"}};
    write(file, net.dump());
    auto const linked = made({file});
    REQUIRE(linked.status == 0);
    CHECK(linked.answer().at("link") == "1GB/s");
    CHECK(figures(linked.plan()) == figures(made({plain, "--link", "1GB/s"}).plan()));
    CHECK(made({file, "--link", "pcie4"}).answer().at("link") == "pcie4");
    auto const none = made({file, "--link", "none"});
    CHECK_FALSE(none.answer().contains("link"));
    CHECK(figures(none.plan()) == figures(made({plain}).plan()));
    CHECK(run({file, "--budget", "60%", "--links", "2GB/s", "--json"}).answer().at("links").at(0).at("bytes_out") == 0);
    // In place, plans have no copies.
    auto const both = made({file, "--in-place"});
    CHECK((both.status == 2 && both.says("linked.json") && both.says("--link none")));
    CHECK(made({file, "--in-place", "--link", "none"}).status == 0);
    net["host_budget"] = 0;
    write(file, net.dump());
    CHECK(made({file}).plan().at("bytes_out") == 0);
    CHECK(made({file, "--link", "2GB/s"}).plan().at("bytes_out") == 0);
    CHECK(made({file, "--host-budget", "16MB"}).plan().at("bytes_out") > 0);
    net.erase("time_unit");
    write(file, net.dump());
    CHECK(made({file}).says("linked.json: the network: has a link, and the unit of its times is not known"));
    CHECK(made({file, "--time-unit", "us"}).status == 0);
}

TEST_CASE("plan --links: one row without copies, and one for each link", "[plan][long]") {
    temporary_folder const folder;
    std::vector<std::string> arguments{chain_file(folder), "--budget", "50%", "--links", "200MB/s,1GB/s,pcie3"};
    auto const table = run(arguments);
    CHECK(table.status == 0);
    for (auto const* word : {"none", "200MB/s, rho 2.08", "pcie3, rho "})
        CHECK(table.out.find(word) != std::string::npos);
    arguments.emplace_back("--json");
    auto const all = run(arguments);
    REQUIRE(all.status == 0);
    auto const rows = all.answer().at("links");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].at("link").is_null());
    CHECK(rows[1].at("link") == "200MB/s");
    CHECK(rows[3].at("link") == "pcie3");
    CHECK(rows[1].at("rho") > rows[2].at("rho"));
    for (std::size_t k = 0; k < rows.size(); ++k) {
        for (auto const* field : copy_fields) CHECK(rows[k].contains(field));
        if (k > 0) CHECK(rows[k].at("time") <= rows[k - 1].at("time"));
    }
}

TEST_CASE("plan --curve with --link: copies and both bounds in each point", "[plan][long]") {
    temporary_folder const folder;
    auto const found = run({chain_file(folder), "--curve", "90%,50%", "--link", "500MB/s", "--json"});
    REQUIRE(found.status == 0);
    auto const points = found.answer().at("curve");
    REQUIRE(points.size() == 2);
    for (auto const& point : points)
        for (auto const* field : copy_fields) CHECK(point.contains(field));
    CHECK(points[0].at("time") <= points[1].at("time"));
    CHECK(points[1].at("bytes_out") > 0);
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
