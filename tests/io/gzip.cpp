// Covers io/gzip.hpp, io/write_file.hpp.
#include <cstddef>
#include <fstream>
#include <string>

#include <unistd.h>
#include <zlib.h>

#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using repebble::bad_file;
using repebble::limit_reached;
using repebble::io::read_account;
using repebble::io::read_file;
using repebble::io::write_file;
using repebble::testing::message_of;
using repebble::testing::temporary_folder;

namespace {

auto long_text() -> std::string {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 104'729) + "\n";
    return text;
}

/// The bytes of a gzip file with the text in it.
auto gzipped(temporary_folder const& folder, std::string const& text) -> std::string {
    auto const path = folder / "packed.gz";
    auto* file = gzopen(path.c_str(), "wb");
    REQUIRE(file != nullptr);
    REQUIRE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
    REQUIRE(gzclose(file) == Z_OK);
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

auto unpacked(std::string const& packed, std::string const& source = "x", read_account account = read_account())
    -> std::string {
    account.open(source, packed.size());
    return repebble::io::detail::gunzip(packed, account);
}

auto contains(std::string const& text, std::string const& part) -> bool { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a file is read as it is, and unpacked where it is gzip data whatever its name", "[io]") {
    temporary_folder const folder;
    auto const text = long_text();
    std::ofstream(folder / "plain.gz", std::ios::binary) << text;
    write_file(folder / "packed.json", gzipped(folder, text));
    write_file(folder / "empty", "");
    CHECK(read_file(folder / "plain.gz") == text);
    CHECK(read_file(folder / "packed.json") == text);
    CHECK(read_file(folder / "empty").empty());
}

TEST_CASE("gzip data of several members are one text", "[io]") {
    temporary_folder const folder;
    CHECK(unpacked(gzipped(folder, "one ") + gzipped(folder, "") + gzipped(folder, "two")) == "one two");
}

TEST_CASE("gzip data cut short anywhere are refused with the byte", "[io]") {
    temporary_folder const folder;
    auto const packed = gzipped(folder, "a text that is long enough to be cut short in many places");
    for (std::size_t size = 2; size < packed.size(); ++size) {
        INFO(size);
        auto const message = message_of<bad_file>([&] { static_cast<void>(unpacked(packed.substr(0, size), "cut")); });
        CHECK(message == "cut: gzip data end too soon at byte " + std::to_string(size));
    }
    auto const large = gzipped(folder, long_text());
    write_file(folder / "cut.packed", large.substr(0, large.size() / 2));
    auto const message = message_of<bad_file>([&] { static_cast<void>(read_file(folder / "cut.packed")); });
    CHECK(contains(message, "cut.packed: gzip data end too soon at byte " + std::to_string(large.size() / 2)));
}

TEST_CASE("damaged gzip data never pass", "[io]") {
    temporary_folder const folder;
    auto const text = std::string("a text whose bytes are changed one by one");
    auto const packed = gzipped(folder, text);
    for (std::size_t i = 0; i < packed.size(); ++i) {
        auto damaged = packed;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        INFO(i);
        std::string read;
        if (message_of<bad_file>([&] { read = unpacked(damaged); }).empty()) {
            CHECK(i < 10);  // a byte of the header that says nothing of the text
            CHECK(read == text);
        }
    }
    CHECK(contains(message_of<bad_file>([&] { static_cast<void>(unpacked(packed + "more")); }),
                   "followed by something else at byte " + std::to_string(packed.size())));
}

TEST_CASE("a text longer than allowed is refused, packed or not", "[io]") {
    temporary_folder const folder;
    auto const text = std::string(100'000, 'a');
    write_file(folder / "plain", text);
    write_file(folder / "packed", gzipped(folder, text));
    for (auto const* name : {"plain", "packed"}) {
        CHECK(read_file(folder / name, read_account({}, 5 * text.size())) == text);
        CHECK(contains(message_of<limit_reached>(
                           [&] { static_cast<void>(read_file(folder / name, read_account({}, text.size()))); }),
                       "takes more than the 97.7 KiB of memory that are allowed"));
    }
}

TEST_CASE("what comes through a pipe may mean as much as a file of that length", "[io]") {
    int ends[2] = {};
    REQUIRE(pipe(ends) == 0);
    std::string const text(1'000, 'a');
    REQUIRE(write(ends[1], text.data(), text.size()) == 1'000);
    close(ends[1]);
    read_account const account;
    CHECK(read_file("/dev/fd/" + std::to_string(ends[0]), account) == text);
    close(ends[0]);
    CHECK(account.memory_left() == read_account::usual_memory + 1'000 * (read_account::memory_of_byte - 2));
}

TEST_CASE("a file that is not there or is a directory is refused by name", "[io]") {
    temporary_folder const folder;
    CHECK(contains(message_of<bad_file>([&] { static_cast<void>(read_file(folder / "absent.json")); }),
                   "absent.json: there is no such file"));
    CHECK(contains(message_of<bad_file>([&] { static_cast<void>(read_file(folder.path())); }), ": is a directory"));
    CHECK(contains(message_of<bad_file>([&] { write_file(folder / "no" / "such" / "folder", "x"); }),
                   "cannot be opened for writing"));
    CHECK(contains(message_of<bad_file>([&] { write_file(folder.path(), "x"); }), "cannot be opened for writing"));
}

TEST_CASE("a file written with a name that ends in .gz is packed, and read again as the same text", "[io]") {
    temporary_folder const folder;
    auto const bytes_of = [&](char const* name) {
        std::ifstream in(folder / name, std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    for (auto const& text : {std::string(), std::string("a"), long_text()}) {
        write_file(folder / "packed.json.gz", text);
        CHECK(repebble::io::detail::is_gzip(bytes_of("packed.json.gz")));
        CHECK(read_file(folder / "packed.json.gz") == text);
        write_file(folder / "plain.json", text);
        CHECK(bytes_of("plain.json") == text);
    }
    CHECK(bytes_of("packed.json.gz").size() < long_text().size() / 2);
}

TEST_CASE("gzip data unpack to no more than 64 MiB and 64 times their size, unless the caller allows it", "[io]") {
    std::string const long_one(std::size_t{100} << 20, ' ');
    auto const packed = repebble::io::detail::gzip(long_one);
    CHECK(contains(message_of<limit_reached>([&] { static_cast<void>(unpacked(packed, "bomb.gz")); }),
                   "bomb.gz: what is unpacked at byte "));
    CHECK(unpacked(packed, "bomb.gz", read_account({}, 4 * long_one.size())) == long_one);
}

TEST_CASE("a file without an end is read up to the limit, and until it is to stop", "[io]") {
    CHECK(contains(message_of<limit_reached>([] { static_cast<void>(read_file("/dev/zero")); }),
                   "/dev/zero: byte 134217728: takes more than the 256 MiB of memory that are allowed"));
    int asked = 0;
    read_account const stopped({.stop = [&] { return ++asked == 3; }});
    CHECK(contains(message_of<limit_reached>([&] { static_cast<void>(read_file("/dev/zero", stopped)); }),
                   "reading was stopped"));
    CHECK(asked == 3);
}
