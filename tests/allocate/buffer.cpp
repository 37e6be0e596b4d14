// Covers allocate/buffer.hpp.
#include <initializer_list>
#include <limits>
#include <string_view>
#include <vector>

#include <repebble/allocate/buffer.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

auto pieces(buffer const& b) -> std::vector<buffer_piece> {
    std::vector<buffer_piece> all;
    b.for_each_piece([&](buffer_piece const& p) { all.push_back(p); });
    return all;
}
auto refused(buffer const& b, std::initializer_list<std::string_view> words) -> bool {
    std::vector<buffer> const buffers{{.lifetime = {0, 1}, .size = 1}, b};
    return support::throws<bad_buffer>([&] { return detail::require_valid_buffers(buffers), 0; }, words);
}

static_assert(interval{0, 3}.overlaps({2, 4}) && !interval{0, 2}.overlaps({2, 4}));
static_assert(interval{2, 2}.empty() && interval{0, 4}.contains({1, 4}) && !interval{0, 4}.contains({1, 5}));

}  // namespace

TEST_CASE("a buffer is one piece, and one more for each gap and window", "[allocate]") {
    CHECK(pieces({.lifetime = {2, 9}, .size = 8}) == std::vector<buffer_piece>{{{2, 9}, {0, 8}}});
    buffer const gapped{
        .lifetime = {0, 20}, .size = 8, .gaps = {{{3, 5}, {}}, {{5, 9}, interval{2, 4}}, {{12, 20}, {}}}};
    CHECK(pieces(gapped) == std::vector<buffer_piece>{{{0, 3}, {0, 8}}, {{5, 9}, {2, 4}}, {{9, 12}, {0, 8}}});
}

TEST_CASE("a buffer without bytes or time has no pieces", "[allocate]") {
    CHECK(pieces({.lifetime = {2, 9}, .size = 0}).empty());
    CHECK(pieces({.lifetime = {2, 2}, .size = 8}).empty());
    CHECK(pieces({.lifetime = {2, 9}, .size = 8, .gaps = {{{2, 9}, {}}}}).empty());
}

TEST_CASE("an invalid buffer is refused with its number", "[allocate]") {
    CHECK(refused({.lifetime = {0, 1}, .size = -4}, {"buffer 1", "size", "-4"}));
    CHECK(refused({.lifetime = {3, 2}, .size = 4}, {"buffer 1", "[3, 2)"}));
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .alignment = 0}, {"alignment", "0"}));
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .alignment = 8, .pinned = 12}, {"12", "8"}));
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .pinned = -8}, {"-8"}));
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .pinned = std::numeric_limits<bytes>::max()}, {"64 bits"}));
    CHECK(refused({.lifetime = {0, 9}, .size = 4, .gaps = {{{3, 3}, {}}}}, {"[3, 3)"}));
    CHECK(refused({.lifetime = {0, 9}, .size = 4, .gaps = {{{3, 10}, {}}}}, {"[3, 10)", "[0, 9)"}));
    CHECK(refused({.lifetime = {0, 9}, .size = 4, .gaps = {{{3, 5}, {}}, {{4, 6}, {}}}}, {"[4, 6)"}));
    CHECK(refused({.lifetime = {0, 9}, .size = 4, .gaps = {{{3, 5}, interval{2, 5}}}}, {"[2, 5)", "4 bytes"}));
    CHECK(refused({.lifetime = {0, 9}, .size = 4, .gaps = {{{3, 5}, interval{3, 2}}}}, {"[3, 2)"}));
}

TEST_CASE("an alias names a buffer that is no alias, and has its pin", "[allocate]") {
    // Buffer 0 is not pinned.
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .alias_of = 1}, {"buffer 1", "buffer 1, which is an alias itself"}));
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .alias_of = 2}, {"buffer 1", "buffer 2, which does not exist"}));
    CHECK(refused({.lifetime = {0, 1}, .size = 4, .pinned = 0, .alias_of = 0}, {"buffer 0", "not pinned there"}));
    std::vector<buffer> const pinned{{.size = 1, .pinned = 4}, {.size = 9, .pinned = 4, .alias_of = 0}};
    CHECK_NOTHROW(detail::require_valid_buffers(pinned));
}
