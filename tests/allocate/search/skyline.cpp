// Covers allocate/detail/search/skyline.hpp.
// What the propagation concludes, against plans found by trying every offset; and undo.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/detail/search/skyline.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>

#include "support/catch.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using detail::compact_shapes;
using detail::skyline;

auto compacted(std::vector<buffer> const& buffers) -> compact_shapes {
    return detail::compact(detail::shapes_of(buffers));
}

/// All that a skyline tells of its state.
struct snapshot {
    std::vector<std::tuple<bytes, bytes, std::uint32_t, bytes, bool>> sections{};
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> left{};
    std::vector<std::pair<bytes, bool>> shapes{};

    friend auto operator==(snapshot const&, snapshot const&) -> bool = default;
};
auto snapshot_of(skyline const& s) -> snapshot {
    snapshot now;
    for (std::size_t t = 0; t < s.shapes().sections(); ++t) {
        now.sections.emplace_back(s.floor(t), s.roof(t), s.top(t), s.slack(t), s.is_bridged(t));
        auto& left = now.left.emplace_back();
        for (auto const& m : s.left_in(t)) left.emplace_back(m.shape, m.piece);
        std::ranges::sort(left);
    }
    for (std::size_t x = 0; x < s.shapes().count(); ++x) now.shapes.emplace_back(s.least(x), s.is_placed(x));
    return now;
}
/// Whether sections are bridged, by definition.
auto bridges_are_right(skyline const& s) -> bool {
    auto const& c = s.shapes();
    for (std::uint32_t t = 0; t < c.sections(); ++t) {
        bool bridged = false;
        for (std::size_t x = 0; x < c.count(); ++x)
            bridged = bridged || (!s.is_placed(x) && c.begin_of(x) < t && t < c.end_of(x));
        if (bridged != s.is_bridged(t)) return false;
    }
    return true;
}
auto all_placed(skyline const& s) -> bool {
    for (std::size_t x = 0; x < s.shapes().count(); ++x)
        if (!s.is_placed(x)) return false;
    return true;
}

/// Whether a shape at its least offset may be placed: where all shapes are plain and free it must lie on the floor of
/// each of its sections, as it does for a search that fills valleys.
auto may_be_placed(skyline const& s, std::uint32_t shape) -> bool {
    auto const& c = s.shapes();
    bool const islands =
        !c.plain || std::ranges::any_of(c.pinned, [](bytes at) { return at != compact_shapes::nowhere; });
    bool on_floors = true;
    s.for_each_section(shape, [&](std::uint32_t t, std::uint32_t piece) {
        on_floors = on_floors && s.bottom({shape, piece}) == s.floor(t);
    });
    return islands || on_floors;
}
/// Places a shape on the floor of a random section, or lifts that floor; false where no plan remains.
auto random_step(support::split_mix& random, skyline& s) -> bool {
    auto const t = static_cast<std::uint32_t>(support::below(random, s.shapes().sections()));
    std::vector<std::uint32_t> lowest;
    for (auto const& m : s.left_in(t))
        if (!s.is_placed(m.shape) && s.bottom(m) == s.floor(t) && may_be_placed(s, m.shape)) lowest.push_back(m.shape);
    if (!lowest.empty() && support::chance(random, 85)) return s.place(support::pick(random, lowest));
    return s.left_in(t).empty() || s.lift(t, s.floor(t) + support::between(random, 0, 2));
}

auto small_arena(support::split_mix& random, std::size_t most, std::int64_t times) -> std::vector<buffer> {
    support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 30,
                                      .pinned_percent = support::below(random, 3) * 30,
                                      .alias_percent = support::below(random, 3) * 10,
                                      .gaps = support::chance(random, 50)};
    return support::random_arena(random, 1 + support::below(random, most), times, 5, kinds);
}

}  // namespace

TEST_CASE("skyline: of two buffers beside a long one, each step by hand", "[allocate]") {
    // Shape 0 lies in both sections, shape 1 in the first, shape 2 in the second.
    std::vector<buffer> const buffers{
        {.lifetime = {0, 4}, .size = 2}, {.lifetime = {0, 2}, .size = 3}, {.lifetime = {2, 4}, .size = 1}};
    auto const c = compacted(buffers);
    skyline s(c);
    CHECK_FALSE(s.reset(4));  // 2 + 3 bytes are live in the first section
    REQUIRE(s.reset(5));
    CHECK((s.slack(0) == 0 && s.slack(1) == 2));
    CHECK((s.is_bridged(1) && !s.is_bridged(0)));
    auto const mark = s.mark_of_trail();
    auto const before = snapshot_of(s);
    REQUIRE(s.place(0));
    CHECK((s.roof(0) == 2 && s.roof(1) == 2 && s.top(1) == 0 && s.least(0) == 0));
    CHECK((s.least(1) == 2 && s.least(2) == 2));
    CHECK_FALSE(s.is_bridged(1));
    REQUIRE(s.place(1));
    CHECK((s.roof(0) == 5 && s.left_in(0).empty() && s.least(2) == 2));
    auto const lifted = s.mark_of_trail();
    CHECK_FALSE(s.lift(1, 5));  // where a byte is left to place
    s.undo(lifted);
    REQUIRE(s.lift(1, 4));
    CHECK((s.least(2) == 4 && s.slack(1) == 0 && s.roof(1) == 2));
    s.undo(mark);
    CHECK(snapshot_of(s) == before);
}

TEST_CASE("skyline: what reaches into a pinned shape is raised past it", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 2}, .size = 2, .pinned = 2}, {.lifetime = {0, 1}, .size = 3}};
    auto const c = compacted(buffers);
    skyline s(c);
    CHECK_FALSE(s.reset(6));
    REQUIRE(s.reset(7));
    CHECK((s.is_placed(0) && s.least(0) == 2));
    CHECK(s.least(1) == 4);
    CHECK(s.place(1));
}

TEST_CASE("skyline: below a pinned shape there is room for what ends there", "[allocate]") {
    auto const c = compacted({{.lifetime = {0, 2}, .size = 2, .pinned = 1}, {.lifetime = {0, 2}, .size = 1}});
    skyline s(c);
    REQUIRE(s.reset(3));
    CHECK((s.least(1) == 0 && s.left_in(0).size() == 2));
    REQUIRE(s.place(1));
    CHECK((s.roof(0) == 3 && s.left_in(0).empty()));  // the pinned one lies on it
}

TEST_CASE("skyline: what another section lifts into a pinned shape goes past it", "[allocate]") {
    // Shape 1 lies in both sections, beside the pinned one in the first, and on shape 3 in the second. Shape 2 may lie
    // below the pinned one.
    auto const c = compacted({{.lifetime = {0, 2}, .size = 2, .pinned = 2},
                              {.lifetime = {0, 4}, .size = 1},
                              {.lifetime = {0, 2}, .size = 1},
                              {.lifetime = {2, 4}, .size = 3}});
    skyline s(c);
    REQUIRE(s.reset(7));
    CHECK(s.least(1) == 0);
    REQUIRE(s.place(3));
    CHECK((s.least(1) == 4 && s.least(2) == 0 && s.floor(0) == 0));
}

TEST_CASE("skyline: placed shapes do not overlap, and undo restores the state", "[allocate][property]") {
    std::size_t complete = 0, refuted = 0;
    auto const check_one = [&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = small_arena(random, 12, 9);
        auto const shapes = detail::shapes_of(buffers);
        auto const c = detail::compact(shapes);
        auto const capacity = c.lower_bound + support::between(random, 0, 9);
        skyline s(c);
        if (c.count() == 0 || !s.reset(capacity)) return;
        for (int step = 0; step < 150 && !all_placed(s); ++step) {
            auto const mark = s.mark_of_trail();
            auto const before = snapshot_of(s);
            bool const goes_on = random_step(random, s);
            refuted += goes_on ? 0U : 1U;
            if (!goes_on || support::chance(random, 20)) {
                s.undo(mark);
                RC_ASSERT(snapshot_of(s) == before);
            }
            RC_ASSERT(bridges_are_right(s));
        }
        if (!all_placed(s)) return;
        ++complete;
        for (std::size_t t = 0; t < c.sections(); ++t) RC_ASSERT(s.left_in(t).empty());
        auto const check = verify_offsets(buffers, detail::offsets_of_buffers(buffers, shapes, c, s.offsets()));
        RC_ASSERT((!check.fault && check.height <= capacity));
    };
    for (std::uint64_t seed = 1; seed <= 40; ++seed) check_one(seed);  // some of these, whatever RapidCheck draws
    CHECK(support::holds_for_each_seed(check_one));
    CHECK(complete > 10);
    CHECK(refuted > 10);
}

TEST_CASE("skyline: along a plan within the capacity no step is refuted, and no bound is above the plan",
          "[allocate][property]") {
    std::size_t tight = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = small_arena(random, 5, 6);
        auto const c = compacted(buffers);
        support::naive_planner naive(buffers, 6);
        auto const height = naive.least_height();
        auto const offsets = naive.of_buffers();
        std::vector<bytes> plan;  // by shape
        for (auto const origin : c.origin) plan.push_back(offsets[naive.shapes()[origin].root]);
        skyline s(c);
        tight += s.reset(height - 1) ? 0U : 1U;
        RC_ASSERT(s.reset(height));
        auto const stays_below_plan = [&] {
            for (std::size_t x = 0; x < c.count(); ++x)
                if (s.least(x) > plan[x]) return false;
            for (std::size_t t = 0; t < c.sections(); ++t)
                for (auto const& m : s.left_in(t))
                    if (s.floor(t) > plan[m.shape] + s.lower(m)) return false;
            return true;
        };
        RC_ASSERT(stays_below_plan());
        // All pieces of the plan, from below.
        std::vector<std::tuple<bytes, std::uint32_t, std::uint32_t>> pieces;
        for (std::uint32_t x = 0; x < c.count(); ++x)
            for (auto p = c.first_piece[x]; p < c.first_piece[x + 1]; ++p)
                pieces.emplace_back(plan[x] + s.lower({x, p}), x, p);
        std::ranges::sort(pieces);
        for (auto const& [bottom, shape, piece] : pieces) {
            for (auto t = c.pieces[piece].first; t < c.pieces[piece].last; ++t) {
                RC_ASSERT(s.lift(t, bottom));
                RC_ASSERT(stays_below_plan());
            }
            RC_ASSERT(s.least(shape) == plan[shape]);
            if (!s.is_placed(shape)) RC_ASSERT(s.place(shape));
            RC_ASSERT(stays_below_plan());
        }
        for (std::size_t t = 0; t < c.sections(); ++t) RC_ASSERT(s.left_in(t).empty());
    }));
    CHECK(tight > 2);
}
