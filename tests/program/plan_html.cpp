#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

/// The data of the page that these arguments make.
auto page_data(std::vector<std::string> arguments, int status = 0) -> json {
    temporary_folder const folder;
    auto const file = (folder / "page.html").string();
    arguments.insert(arguments.end(), {"--html", file});
    CHECK(run(arguments).status == status);
    auto const page = text_of(file);
    std::string const begin = "id=\"data\">";
    auto const from = page.find(begin) + begin.size();
    return json::parse(page.substr(from, page.find("</script>", from) - from));
}

}  // namespace

TEST_CASE("plan --html: the page has the fastest plan that fits, its offsets, all costs and a curve",
          "[plan][html][long]") {
    auto const data = page_data({unet, "--budget", "60%", "--strategy", "keep_all,save_set,automatic"});
    REQUIRE(data.at("plans").size() == 1);
    auto const& one = data.at("plans").at(0);
    CHECK(one.at("cost").at("peak") <= data.at("budget"));
    CHECK(one.at("buffers").at("height") >= one.at("cost").at("peak"));
    REQUIRE(data.at("rows").size() == 3);
    CHECK(data.at("rows").at(0).at("name") == "keep_all");
    CHECK(data.at("rows").at(0).at("fits") == false);
    CHECK(data.at("rows").at(2).at("overhead") == one.at("cost").at("overhead"));
    auto const& budgets = data.at("curve").at("budget");
    REQUIRE(budgets.size() == 12);  // nine, that of the plan, and a twentieth more and less
    CHECK(budgets.at(0) == data.at("floor").at("size"));
    CHECK(budgets.at(11) == data.at("before").at("peak"));
    CHECK(data.at("curve").at("overhead").at(11) == 0);
    CHECK(one.at("reasons").at("step").size() == one.at("cost").at("runs_again"));
    CHECK(one.at("reasons").at("step").size() > 0);
}

TEST_CASE("plan --html: operations have the names of the file, gradients those of their operations",
          "[plan][html][long]") {
    auto const names = page_data({unet, "--budget", "60%", "--strategy", "save_set"}).at("ops").at("name");
    CHECK(std::string(names.at(names.size() - 1)).ends_with(" backward"));
    CHECK(std::string(names.at(0)).find("backward") == std::string::npos);
}

TEST_CASE("plan --html: copies over a link are on the page, with the times of the lanes", "[plan][html]") {
    auto const data = page_data({"resnet18", "--device", "1080ti", "--link", "pcie3", "--budget", "60%", "--strategy",
                                 "automatic", "--time-limit", "2"});
    CHECK(data.at("unit") == "ns");
    auto const& steps = data.at("plans").at(0).at("steps");
    CHECK(steps.at("end").size() == steps.at("bytes").size());
}

TEST_CASE("plan --html: where nothing fits the page says so, and the status, too", "[plan][html]") {
    auto const data = page_data({residual, "--budget", "1", "--strategy", "automatic"}, 3);
    CHECK(data.at("plans").empty());
    CHECK(data.at("floor").at("size") > 1);
}

TEST_CASE("plan --html: a schedule from a file has a page, without a curve", "[plan][html]") {
    temporary_folder const folder;
    auto const schedule = (folder / "schedule.json").string();
    REQUIRE(run({unet, "--budget", "60%", "--strategy", "save_set", "--schedule", schedule}).status == 0);
    auto const data = page_data({unet, "--replay", schedule});
    CHECK(data.at("curve").at("budget").empty());
    CHECK(data.at("budget") == data.at("plans").at(0).at("cost").at("peak"));
}

TEST_CASE("plan --html: with --compare the page has the plan beside the first schedule from elsewhere",
          "[plan][html]") {
    temporary_folder const folder;
    auto const own = (folder / "own.json").string(), other = (folder / "other.json").string();
    auto const kept = run({residual, "--budget", "100%", "--strategy", "keep_all", "--schedule", own, "--json"}).plan();
    REQUIRE(run({residual, "--budget", "90%", "--strategy", "greedy_eviction", "--schedule", other}).status == 0);
    auto const names_and_peaks = [](json const& data) {
        std::vector<std::pair<std::string, std::int64_t>> all;
        for (auto const& one : data.at("plans"))
            all.emplace_back(one.at("cost").at("found_by"), one.at("cost").at("peak"));
        return all;
    };
    auto const data =
        page_data({residual, "--budget", "90%", "--strategy", "automatic", "--compare", own, "--compare", other});
    auto const both = names_and_peaks(data);
    REQUIRE(both.size() == 2);
    CHECK(both[0].first == "automatic");
    CHECK(both[0].second <= data.at("budget"));
    CHECK(both[1] == std::pair(std::string("own.json"), kept.at("peak").get<std::int64_t>()));
    CHECK(data.at("plans").at(1).at("buffers").contains("offset"));
    CHECK(data.at("rows").size() == 3);
    auto const files = names_and_peaks(page_data({residual, "--replay", other, "--compare", own}));
    REQUIRE(files.size() == 2);
    CHECK(files[0].first == "greedy_eviction");
    CHECK(files[1] == both[1]);
    CHECK(page_data({residual, "--budget", "1", "--strategy", "automatic", "--compare", own}, 3).at("plans").empty());
}

TEST_CASE("plan --html: a page that cannot be written is told before anything is planned", "[plan][html]") {
    auto const done = run({residual, "--html", "/nowhere/page.html"});
    CHECK(done.status == 2);
    CHECK(done.says("/nowhere/page.html"));
    CHECK(done.out.empty());
    CHECK(run({residual, "--html", "page.html", "--curve", "3"}).status == 2);
}
