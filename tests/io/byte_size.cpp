// Covers io/byte_size.hpp.
#include <cstdint>
#include <limits>
#include <string>

#include <repebble/io/byte_size.hpp>

#include "support/catch.hpp"

using repebble::bad_weight;
using repebble::bytes;
using repebble::io::format_bytes;
using repebble::io::parse_bytes;

static_assert(parse_bytes("4GiB") == bytes{4} << 30);
static_assert(parse_bytes("1.5GB") == 1'500'000'000);

TEST_CASE("a size is read exactly in units of 1024 and of 1000", "[io]") {
    CHECK(parse_bytes("0") == 0);
    CHECK(parse_bytes("2000") == 2000);
    CHECK(parse_bytes("2000 B") == 2000);
    CHECK(parse_bytes("16 KiB") == 16 * 1024);
    CHECK(parse_bytes("512MiB") == bytes{512} << 20);
    CHECK(parse_bytes("1.5kB") == 1500);
    CHECK(parse_bytes("1.5KB") == 1500);
    CHECK(parse_bytes("1.50 TiB") == (bytes{3} << 40) / 2);
    CHECK(parse_bytes("0.000000001GB") == 1);
    CHECK(parse_bytes("00016KiB") == 16 * 1024);
    CHECK(parse_bytes("2 PB") == 2'000'000'000'000'000);
}

TEST_CASE("a fraction of a byte is dropped", "[io]") {
    CHECK(parse_bytes("0.3KiB") == 307);
    CHECK(parse_bytes("2.79GiB") == 2'995'739'688);
    CHECK(parse_bytes("0.99999999999999999999999999999999999999EiB") == (bytes{1} << 60) - 1);
}

TEST_CASE("the largest size is read and the next is refused", "[io]") {
    CHECK(parse_bytes("9223372036854775807") == std::numeric_limits<bytes>::max());
    CHECK(parse_bytes("7.999999999999999999EiB") == std::numeric_limits<bytes>::max() - 1);
    for (auto const* text : {"9223372036854775808", "8EiB", "9.3EB", "9.223372036854775808EB", "18446744073709551616",
                             "99999999999999999999999999999 KiB"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_bytes(text), bad_weight);
    }
}

TEST_CASE("a text that is not a size is rejected with the text in the message", "[io]") {
    for (std::string const text :
         {"",     " ",     "-1",    "-1GiB", "nan",   "inf",  "GiB", "1.GiB", ".5GiB", "1,5GiB", "1e9",  "4G",
          "4gib", "4 Gib", "4GiBs", "4GiB ", " 4GiB", "0x10", "1.5", "1.5 B", "+4",    "1..5GB", "1 000"}) {
        INFO(text);
        try {
            static_cast<void>(parse_bytes(text));
            FAIL("was accepted");
        } catch (bad_weight const& e) {
            CHECK(std::string(e.what()).find("'" + text + "'") != std::string::npos);
        }
    }
}

TEST_CASE("a size is shown with three digits in units of 1024", "[io]") {
    CHECK(format_bytes(0) == "0 B");
    CHECK(format_bytes(1023) == "1023 B");
    CHECK(format_bytes(1024) == "1.00 KiB");
    CHECK(format_bytes(10 * 1024 - 1) == "10.0 KiB");
    CHECK(format_bytes(2'995'739'689) == "2.79 GiB");
    CHECK(format_bytes(bytes{279} << 19) == "140 MiB");
    CHECK(format_bytes((bytes{279} << 20) / 10) == "27.9 MiB");
    CHECK(format_bytes(bytes{1023} << 20) == "1023 MiB");
    CHECK(format_bytes((bytes{1} << 30) - 1) == "1.00 GiB");
    CHECK(format_bytes(-1536) == "-1.50 KiB");
    CHECK(format_bytes(std::numeric_limits<bytes>::max()) == "8.00 EiB");
    CHECK(format_bytes(std::numeric_limits<bytes>::min()) == "-8.00 EiB");
}

TEST_CASE("a size that is shown is read again as nearly the same", "[io]") {
    for (bytes size = 1; size < bytes{1} << 61; size += size / 3 * 4 + 1) {
        INFO(size);
        auto const again = parse_bytes(format_bytes(size));
        CHECK(again >= size - size / 199);
        CHECK(again <= size + size / 199);
    }
}
