// Covers allocate/verify_offsets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

/// Whether some byte belongs to two buffers at one time.
auto overlapping(std::vector<buffer> const& buffers, std::vector<bytes> const& offsets) -> bool {
    for (std::int64_t time = 0; time < 12; ++time)
        for (bytes byte = 0; byte < 20; ++byte) {
            std::vector<bool> owns(buffers.size(), false);  // an alias counts as its buffer
            for (std::size_t i = 0; i < buffers.size(); ++i)
                if (support::has_byte(buffers[i], offsets[i], time, byte)) owns[buffers[i].alias_of.value_or(i)] = true;
            if (std::ranges::count(owns, true) > 1) return true;
        }
    return false;
}
/// The message about two buffers, the second of which has the given offset.
auto message(buffer const& b, bytes offset) -> std::string {
    auto const verdict =
        verify_offsets(std::vector<buffer>{{.lifetime = {0, 4}, .size = 8}, b}, std::vector<bytes>{0, offset});
    return verdict.fault ? verdict.fault->message : "";
}

}  // namespace

TEST_CASE("offsets without overlap are a plan, and its height is the end of the highest buffer", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 3}, .size = 4},
                                      {.lifetime = {3, 9}, .size = 4},
                                      {.lifetime = {0, 9}, .size = 4},
                                      {.lifetime = {9, 21}, .size = 4},
                                      {.lifetime = {0, 21}, .size = 4}};
    CHECK(verify_offsets(buffers, std::vector<bytes>{8, 8, 4, 4, 0}) == offset_verdict{12, {}});
    auto const wrong = verify_offsets(buffers, std::vector<bytes>{8, 7, 4, 4, 0});
    REQUIRE(wrong.fault);
    CHECK((wrong.fault->first == 1 && wrong.fault->second == 2U));
    CHECK(wrong.fault->message == "buffers 1 and 2 overlap at time 3");
    CHECK(verify_offsets({}, {}) == offset_verdict{});
}

TEST_CASE("an offset that is invalid by itself is named", "[allocate]") {
    CHECK(message({.lifetime = {0, 4}, .size = 8}, 8).empty());
    CHECK(message({.lifetime = {0, 4}, .size = 8}, -8) == "buffer 1: its offset -8 is negative");
    CHECK(message({.lifetime = {0, 4}, .size = 8, .alignment = 16}, 8) ==
          "buffer 1: its offset 8 is no multiple of its alignment 16");
    CHECK(message({.lifetime = {0, 4}, .size = 8, .pinned = 16}, 8) ==
          "buffer 1: its offset 8 is not the 16 that it must have");
    CHECK(message({.lifetime = {0, 4}, .size = 8, .pinned = 16}, 16).empty());
    CHECK(message({.lifetime = {0, 4}, .size = 8}, std::numeric_limits<bytes>::max()).ends_with("64 bits"));
}

TEST_CASE("buffers share bytes in each other's gaps", "[allocate]") {
    buffer const gapped{.lifetime = {0, 9}, .size = 8, .gaps = {{{3, 6}, interval{0, 2}}}};
    auto const with = [&](buffer const& other, bytes offset) {
        return verify_offsets(std::vector<buffer>{gapped, other}, std::vector<bytes>{0, offset}).fault.has_value();
    };
    CHECK_FALSE(with({.lifetime = {3, 6}, .size = 6}, 2));
    CHECK(with({.lifetime = {3, 6}, .size = 6}, 1));
    CHECK(with({.lifetime = {2, 6}, .size = 6}, 2));
    CHECK(with({.lifetime = {3, 7}, .size = 6}, 2));
}

TEST_CASE("an alias shares the bytes of its buffer, and no others", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 4}, .size = 8},
                                      {.lifetime = {2, 6}, .size = 4, .alias_of = 0},
                                      {.lifetime = {4, 6}, .size = 4}};
    auto const message_at = [&](std::vector<bytes> const& offsets) {
        auto const verdict = verify_offsets(buffers, offsets);
        return verdict.fault ? verdict.fault->message : std::to_string(verdict.height);
    };
    CHECK(message_at({0, 0, 4}) == "8");
    CHECK(message_at({2, 2, 6}) == "10");
    CHECK(message_at({0, 0, 3}) == "buffers 0 and 2 overlap at time 4");
    CHECK(message_at({0, 1, 4}) == "buffer 1: its offset 1 is not the 0 of buffer 0, whose alias it is");
}

TEST_CASE("an overlap is found exactly if there is one", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = support::random_arena(random, support::below(random, 5), 12, 6,
                                                   {.alias_percent = support::below(random, 2) * 30, .gaps = true});
        std::vector<bytes> offsets;
        for (std::size_t i = 0; i < buffers.size(); ++i) offsets.push_back(support::between(random, 0, 12));
        for (std::size_t i = 0; i < buffers.size(); ++i) offsets[i] = offsets[buffers[i].alias_of.value_or(i)];
        auto const verdict = verify_offsets(buffers, offsets);
        RC_ASSERT(verdict.fault.has_value() == overlapping(buffers, offsets));
        bytes height = 0;
        for (std::size_t i = 0; i < buffers.size(); ++i) height = std::max(height, offsets[i] + buffers[i].size);
        RC_ASSERT(verdict.height == height);
    }));
}
