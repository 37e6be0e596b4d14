#include <cstddef>
#include <cstdlib>
#include <string>
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
    CHECK(data.at("cost").at("peak") <= data.at("budget"));
    CHECK(data.at("buffers").at("height") >= data.at("cost").at("peak"));
    REQUIRE(data.at("rows").size() == 3);
    CHECK(data.at("rows").at(0).at("name") == "keep_all");
    CHECK(data.at("rows").at(0).at("fits") == false);
    CHECK(data.at("rows").at(2).at("overhead") == data.at("cost").at("overhead"));
    auto const& budgets = data.at("curve").at("budget");
    REQUIRE(budgets.size() == 12);  // nine, that of the plan, and a twentieth more and less
    CHECK(budgets.at(0) == data.at("floor").at("size"));
    CHECK(budgets.at(11) == data.at("before").at("peak"));
    CHECK(data.at("curve").at("overhead").at(11) == 0);
    CHECK(data.at("reasons").at("step").size() == data.at("cost").at("runs_again"));
    CHECK(data.at("reasons").at("step").size() > 0);
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
    CHECK(data.at("steps").at("end").size() == data.at("steps").at("bytes").size());
}

TEST_CASE("plan --html: where nothing fits the page says so, and the status, too", "[plan][html]") {
    auto const data = page_data({residual, "--budget", "1", "--strategy", "automatic"}, 3);
    CHECK_FALSE(data.contains("cost"));
    CHECK(data.at("floor").at("size") > 1);
}

TEST_CASE("plan --html: a schedule from a file has a page, without a curve", "[plan][html]") {
    temporary_folder const folder;
    auto const schedule = (folder / "schedule.json").string();
    REQUIRE(run({unet, "--budget", "60%", "--strategy", "save_set", "--schedule", schedule}).status == 0);
    auto const data = page_data({unet, "--replay", schedule});
    CHECK(data.at("curve").at("budget").empty());
    CHECK(data.at("budget") == data.at("cost").at("peak"));
}

TEST_CASE("plan --html: a page that cannot be written is told before anything is planned", "[plan][html]") {
    auto const done = run({residual, "--html", "/nowhere/page.html"});
    CHECK(done.status == 2);
    CHECK(done.says("/nowhere/page.html"));
    CHECK(done.out.empty());
    CHECK(run({residual, "--html", "page.html", "--curve", "3"}).status == 2);
}
