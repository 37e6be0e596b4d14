// Covers io/write_file.hpp, io/detail/part_file.hpp.
#include <repebble/io/write_file.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace repebble;
namespace fs = std::filesystem;

namespace {

auto content_of(fs::path const& path) -> std::string {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}
auto files_in(fs::path const& folder) -> std::ptrdiff_t {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a file is replaced whole, and nothing stays beside it", "[write_file]") {
    testing::temporary_folder const folder;
    auto const path = folder / "out.txt";
    io::write_file(path, "first, and longer");
    io::write_file(path, "second");
    CHECK(content_of(path) == "second");
    CHECK(files_in(folder / "") == 1);
}

TEST_CASE("a check of a file leaves all as it is", "[write_file]") {
    testing::temporary_folder const folder;
    auto const path = folder / "out.txt";
    repebble::io::detail::check_writable(path);
    CHECK(files_in(folder / "") == 0);
    io::write_file(path, "old");
    repebble::io::detail::check_writable(path);
    CHECK(content_of(path) == "old");
    CHECK(files_in(folder / "") == 1);
}

TEST_CASE("where a file cannot be written, the error names it", "[write_file]") {
    testing::temporary_folder const folder;
    for (auto const& path : {folder / "no" / "such" / "folder.txt", folder / "", fs::path()}) {
        CHECK_THROWS_AS(repebble::io::detail::check_writable(path), bad_file);
        CHECK_THROWS_AS(io::write_file(path, "text"), bad_file);
    }
    fs::create_directory(folder / "taken");
    CHECK_THROWS_WITH(io::write_file(folder / "taken", ""),
                      (folder / "taken").string() + ": cannot be opened for writing: it is a folder");
    CHECK(files_in(folder / "") == 1);
}

TEST_CASE("on a full disk a file in place says so", "[write_file]") {
    if (fs::exists("/dev/full")) CHECK_THROWS_WITH(io::write_file("/dev/full", "text"), "/dev/full: cannot be written");
}

TEST_CASE("links stay links and permissions stay", "[write_file]") {
    testing::temporary_folder const folder;
    auto const path = folder / "real.txt";
    io::write_file(path, "old");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("real.txt", folder / "relative");
    fs::create_symlink(folder / "relative", folder / "absolute");
    io::write_file(folder / "absolute", "new");
    CHECK(fs::is_symlink(folder / "absolute"));
    CHECK(fs::is_symlink(folder / "relative"));
    CHECK(content_of(path) == "new");
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a leftover of an older run is nobody's business", "[write_file]") {
    testing::temporary_folder const folder;
    auto const path = folder / "out.txt";
    std::ofstream(path.string() + ".0.part") << "left";
    io::write_file(path, "whole");
    CHECK(content_of(path) == "whole");
    CHECK(content_of(path.string() + ".0.part") == "left");
}

TEST_CASE("links without an end are refused and stay, and long names have a part, too", "[write_file]") {
    testing::temporary_folder const folder;
    fs::create_symlink("two", folder / "one");
    fs::create_symlink("one", folder / "two");
    CHECK_THROWS_AS(io::write_file(folder / "one", "text"), bad_file);
    CHECK(fs::is_symlink(folder / "one"));
    auto const path = folder / std::string(250, 'a');
    io::write_file(path, "text");
    CHECK(content_of(path) == "text");
}

TEST_CASE("what a link of the system leads to is appended to, and not replaced", "[write_file]") {
    testing::temporary_folder const folder;
    auto const path = folder / "out.txt";
    io::write_file(path, "old, ");
    auto* const file = std::fopen(path.c_str(), "a");
    REQUIRE(file != nullptr);
    auto const link = "/proc/self/fd/" + std::to_string(fileno(file));
    if (fs::exists(link)) {
        io::write_file(link, "new");
        CHECK(content_of(path) == "old, new");
        std::fputs(", and what comes later", file);
    }
    std::fclose(file);
    if (content_of(path) != "old, ") CHECK(content_of(path) == "old, new, and what comes later");
}
