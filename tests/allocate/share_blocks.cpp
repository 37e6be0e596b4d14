// Covers allocate/live_bytes.hpp, allocate/share_blocks.hpp, allocate/shared_blocks.hpp,
// allocate/detail/share_where.hpp, allocate/verify_offsets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/share_blocks.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_buffers.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

constexpr auto nowhere = shared_blocks::no_block;
using numbers = std::vector<std::size_t>;

auto sizes_of(shared_blocks const& shared) -> std::vector<bytes> {
    std::vector<bytes> sizes;
    for (auto const& block : shared.blocks) sizes.push_back(block.size);
    return sizes;
}

}  // namespace

TEST_CASE("a buffer reuses a free block", "[allocate]") {
    // The two-layer perceptron of the MXNet note: fc1, act1 and d(fc1) in one storage, fc2, out and d(fc2) in another;
    // d(A) reuses memory of buffers that have ended.
    std::vector<buffer> const perceptron{{.lifetime = {0, 8}, .size = 4},   // fc1, act1, d(fc1)
                                         {.lifetime = {2, 6}, .size = 2},   // fc2, out, d(fc2)
                                         {.lifetime = {5, 7}, .size = 4},   // d(act1)
                                         {.lifetime = {7, 8}, .size = 4}};  // d(A)
    CHECK(share_blocks(perceptron) == shared_blocks{{0, 1, 2, 2}, {{4, 1}, {2, 1}, {4, 1}}, 10});
    CHECK(share_blocks(perceptron).offsets() == std::vector<bytes>{0, 4, 6, 6});
    CHECK(share_blocks({}) == shared_blocks{});
}

TEST_CASE("a shared block is as large as the largest of its buffers", "[allocate]") {
    // Normal sharing of the note: B is read by C and D for the last time, and E reuses its memory.
    std::vector<buffer> const buffers{
        {.lifetime = {0, 2}, .size = 6}, {.lifetime = {1, 4}, .size = 3}, {.lifetime = {2, 4}, .size = 9}};
    CHECK(share_blocks(buffers) == shared_blocks{{0, 1, 0}, {{9, 1}, {3, 1}}, 12});
}

TEST_CASE("the smallest block that is large enough comes first, then the largest one, within the range", "[allocate]") {
    auto const fifth = [](bytes size, bytes range) {
        std::vector<buffer> const buffers{{.lifetime = {0, 1}, .size = 8},
                                          {.lifetime = {0, 1}, .size = 4},
                                          {.lifetime = {0, 1}, .size = 2},
                                          {.lifetime = {0, 1}, .size = 8},
                                          {.lifetime = {1, 2}, .size = size}};
        return share_blocks(buffers, {.match_range = range}).block_of[4];
    };
    CHECK(fifth(3, 16) == 1);
    CHECK(fifth(4, 16) == 1);
    CHECK(fifth(5, 16) == 0);  // of two the lower number
    CHECK(fifth(9, 16) == 3);
    CHECK(fifth(2, 1) == 2);
    CHECK(fifth(3, 1) == 4);
    CHECK(fifth(16, 2) == 3);
    CHECK(fifth(17, 2) == 4);
    CHECK(fifth(1, 2) == 2);
    CHECK(fifth(1, 1) == 4);
    CHECK(fifth(std::numeric_limits<bytes>::max() / 4, std::numeric_limits<bytes>::max()) == 3);
}

TEST_CASE("a search over ranges keeps the least total", "[allocate]") {
    // With any range the small buffer takes the large block, and a second large one is needed.
    std::vector<buffer> const buffers{
        {.lifetime = {0, 1}, .size = 8}, {.lifetime = {1, 4}, .size = 2}, {.lifetime = {2, 4}, .size = 8}};
    CHECK(share_blocks(buffers, {.match_range = 16}).total == 16);
    CHECK(share_blocks(buffers, {.match_range = 1}).total == 10);
    CHECK(share_blocks(buffers, {.match_range = 16, .search = true}).total == 10);
    auto const most = std::numeric_limits<bytes>::max();
    CHECK(share_blocks(buffers, {.match_range = most, .search = true}).total == 10);
}

TEST_CASE("blocks respect the alignment of all their buffers", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 9}, .size = 5},
                                      {.lifetime = {0, 1}, .size = 5, .alignment = 4},
                                      {.lifetime = {1, 2}, .size = 5, .alignment = 6}};
    auto const shared = share_blocks(buffers);
    CHECK(shared == shared_blocks{{0, 1, 1}, {{5, 1}, {5, 12}}, 10});
    auto const offsets = shared.offsets();
    CHECK(offsets == std::vector<bytes>{0, 12, 12});
    CHECK(verify_offsets(buffers, offsets) == offset_verdict{17, {}});
}

TEST_CASE("a buffer without bytes or time has no block, and gaps are not shared", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 9}, .size = 0},
                                      {.lifetime = {3, 3}, .size = 7},
                                      {.lifetime = {0, 9}, .size = 4, .gaps = {{{2, 5}, {}}}},
                                      {.lifetime = {2, 5}, .size = 4}};
    CHECK(share_blocks(buffers) == shared_blocks{{nowhere, nowhere, 0, 1}, {{4, 1}, {4, 1}}, 8});
    CHECK(share_blocks(buffers).offsets() == std::vector<bytes>{0, 0, 0, 4});
}

TEST_CASE("pinned or invalid buffers are refused", "[allocate]") {
    auto const share = [](std::vector<buffer> const& buffers) { return [=] { return share_blocks(buffers); }; };
    auto const most = std::numeric_limits<bytes>::max();
    CHECK(support::throws<bad_buffer>(share({{.lifetime = {0, 1}, .size = 1}, {.lifetime = {0, 1}, .pinned = 8}}),
                                      {"buffer 1", "pinned", "8"}));
    CHECK(support::throws<bad_buffer>(share({{.lifetime = {0, 1}, .size = -1}}), {"buffer 0", "-1"}));
    CHECK(support::throws<bad_weight>(share({{.lifetime = {0, 1}, .size = most}, {.lifetime = {0, 1}, .size = 1}}),
                                      {"sizes of blocks"}));
    CHECK(support::throws<bad_weight>(share({{.lifetime = {0, 1}, .size = 1, .alignment = most},
                                             {.lifetime = {1, 2}, .size = 1, .alignment = most - 1}}),
                                      {"alignments"}));
    CHECK_THROWS_AS(share_blocks({}, {.match_range = 0}), precondition_violated);
}

TEST_CASE("shared blocks never overlap, and are no smaller than the live bytes", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto buffers = support::random_buffers(random, support::below(random, 12), 12, 6);
        for (auto& b : buffers) b.alignment = support::between(random, 1, 4);
        auto const range = support::between(random, 1, 8);
        auto const shared = share_blocks(buffers, {.match_range = range});
        auto const offsets = shared.offsets();
        RC_ASSERT(!verify_offsets(buffers, offsets).fault);
        RC_ASSERT(shared.total >= find_live_bytes(buffers).most);
        bytes total = 0, end = 0;
        for (auto const size : sizes_of(shared)) total += size;
        RC_ASSERT(total == shared.total);
        bytes all = 0;
        for (std::size_t i = 0; i < buffers.size(); ++i)
            if (shared.block_of[i] != nowhere) {
                end = std::max(end, offsets[i] + buffers[i].size);
                all += buffers[i].size;
            }
        RC_ASSERT(shared.total <= all);
        RC_ASSERT(end >= shared.total);
        auto const searched = share_blocks(buffers, {.match_range = range, .search = true});
        RC_ASSERT(searched.total <= shared.total);
        RC_ASSERT(searched.total <= share_blocks(buffers, {.match_range = 1}).total);
    }));
}

TEST_CASE("blocks of one size are as few as possible", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto buffers = support::random_buffers(random, support::below(random, 12), 12, 6);
        for (auto& b : buffers) b = {.lifetime = b.lifetime, .size = 8};
        RC_ASSERT(share_blocks(buffers).total == find_live_bytes(buffers).most);
    }));
}
