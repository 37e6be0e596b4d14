// Covers io/parse_link.hpp, io/machine.hpp.
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/io/machine.hpp>
#include <repebble/io/parse_link.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace repebble;
using io::parse_link;

TEST_CASE("a link is a bandwidth in bytes per nanosecond, exactly", "[io]") {
    CHECK(parse_link("12GB/s") == host_link{.size = 12, .time = 1});
    CHECK(parse_link("1.5 GB/s") == host_link{.size = 3, .time = 2});
    CHECK(parse_link("1GiB/s") == host_link{.size = 2097152, .time = 1953125});
}

TEST_CASE("a link may have a latency, rounded to nanoseconds, and one direction at a time", "[io]") {
    CHECK(parse_link("12GB/s,10us") == host_link{.size = 12, .time = 1, .latency = 10'000});
    CHECK(parse_link("12GB/s,half-duplex,0.0015us") ==
          host_link{.size = 12, .time = 1, .latency = 2, .half_duplex = true});
    CHECK(parse_link("12GB/s,1.25ms").latency == 1'250'000);
    CHECK(parse_link("12GB/s,2s").latency == 2'000'000'000);
    CHECK(parse_link("12GB/s,0.4ns").latency == 0);
}

TEST_CASE("a machine's name is its link", "[io]") {
    CHECK(parse_link("pcie4") == parse_link("25GB/s"));
    CHECK(parse_link("h100,5us") == parse_link("50GB/s,5us"));
    CHECK(io::find_machine("a100")->flops_per_second > 0);
    CHECK_FALSE(io::find_machine("abacus"));
    CHECK(io::machine_names().starts_with("pcie3, pcie4"));
}

TEST_CASE("what is no link is refused with its text", "[io]") {
    auto const said = [](std::string const& text) {
        return testing::message_of<bad_weight>([&] { static_cast<void>(parse_link(text)); });
    };
    CHECK(said("") == "link '' is neither a bandwidth such as 12GB/s nor one of " + io::machine_names());
    CHECK(said("0B/s") == "link '0B/s' moves no bytes");
    CHECK(said("12G/s").find("'12G' has an unknown unit") != std::string::npos);
    for (std::string const word : {"soon", "-1us", "1", "1h", "1.us", "us", "99999999999999999999s", ""})
        CHECK(said("pcie4," + word) ==
              "link 'pcie4," + word + "': '" + word + "' is neither a latency such as 10us nor half-duplex");
}
