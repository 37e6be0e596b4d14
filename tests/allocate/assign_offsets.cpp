// Covers allocate/assign_offsets.hpp, allocate/live_bytes.hpp, allocate/verify_offsets.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/allocate/placement_order.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/io/buffer_table.hpp>

#include "support/catch.hpp"
#include "support/folders.hpp"
#include "support/golden.hpp"
#include "support/naive_offsets.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

std::vector<buffer> const four_buffers{{.lifetime = {3, 5}, .size = 3},
                                       {.lifetime = {4, 6}, .size = 2},
                                       {.lifetime = {4, 5}, .size = 3},
                                       {.lifetime = {0, 4}, .size = 4}};

auto any_buffers(support::split_mix& random, std::size_t most) -> std::vector<buffer> {
    support::buffer_kinds const kinds{.aligned_percent = support::below(random, 2) * 30,
                                      .pinned_percent = support::below(random, 3) * 10,
                                      .alias_percent = support::below(random, 3) * 15,
                                      .gaps = support::chance(random, 50)};
    return support::random_arena(random, support::below(random, most), 12, 7, kinds);
}
/// `count` buffers that begin up to `latest`, of up to `longest` steps and `most` bytes.
auto many_buffers(support::split_mix& random, std::size_t count, std::int64_t latest, std::int64_t longest, bytes most)
    -> std::vector<buffer> {
    std::vector<buffer> buffers;
    while (buffers.size() < count) {
        auto const lower = support::between(random, 0, latest);
        buffers.push_back({.lifetime = {lower, lower + support::between(random, 1, longest)},
                           .size = support::between(random, 1, most)});
    }
    return buffers;
}
/// The least height of the greedy planners.
auto greedy_height(std::vector<buffer> const& buffers) -> bytes {
    auto height = std::numeric_limits<bytes>::max();
    for (auto const& order :
         {largest_first, earliest_first, greatest_area_first, longest_first, placement_order{.longer_first = true}})
        for (auto const& offsets :
             {fit_offsets(buffers, {.order = order}), fit_offsets(buffers, {.rule = fit_rule::best, .order = order})})
            height = std::min(height, verify_offsets(buffers, offsets).height);
    return height;
}
/// Whether the height, the lower bound and the proof of a plan are right.
auto is_consistent(std::vector<buffer> const& buffers, offset_plan const& plan, std::optional<bytes> capacity = {})
    -> bool {
    if (verify_offsets(buffers, plan.offsets) != offset_verdict{plan.height, {}}) return false;
    if (plan.height < plan.lower_bound || plan.lower_bound < find_live_bytes(buffers).most) return false;
    bool const infeasible = capacity && plan.lower_bound > *capacity;
    return plan.proof == (infeasible                        ? offset_proof::none_exists
                          : plan.height == plan.lower_bound ? offset_proof::height_least
                                                            : offset_proof::none);
}
auto refused_options(offset_options const& options, std::string_view word) -> bool {
    return support::throws<bad_buffer>([&] { return assign_offsets(four_buffers, options); }, {word, "negative"});
}
auto refused_buffers(std::vector<buffer> const& buffers, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_buffer>([&] { return assign_offsets(buffers); }, words);
}
/// The buffers of a table in the data folder; empty if it is absent.
auto data_buffers(std::string const& name) -> std::vector<buffer> {
    auto const file = support::data_file("public/allocation/" + name);
    return file ? io::read_buffers(*file).buffers : std::vector<buffer>{};
}

}  // namespace

TEST_CASE("a plan of 8 bytes, for which the greedy planners need 9, is proven least", "[allocate]") {
    auto const plan = assign_offsets(four_buffers);
    CHECK(is_consistent(four_buffers, plan));
    CHECK((plan.height == 8 && plan.lower_bound == 8 && plan.proof == offset_proof::height_least));
    CHECK(greedy_height(four_buffers) == 9);
    CHECK(is_consistent(four_buffers, assign_offsets(four_buffers, {.limits = {.work = 0}})));
    CHECK(assign_offsets({}) == offset_plan{.proof = offset_proof::height_least});
}

TEST_CASE("a plan within the capacity suffices", "[allocate]") {
    auto const nine = assign_offsets(four_buffers, {.capacity = 9});
    CHECK((nine.height == 9 && nine.lower_bound == 8 && nine.proof == offset_proof::none));
    CHECK(assign_offsets(four_buffers, {.capacity = 8}).height == 8);
    auto const seven = assign_offsets(four_buffers, {.capacity = 7});
    CHECK((seven.proof == offset_proof::none_exists && is_consistent(four_buffers, seven, 7)));
    CHECK(assign_offsets({}, {.capacity = 0}).proof == offset_proof::height_least);
    CHECK(assign_offsets(four_buffers, {.capacity = 0, .limits = {.work = 0}}).proof == offset_proof::none_exists);
}

TEST_CASE("the height and its bound count buffers without lifetime", "[allocate]") {
    std::vector<buffer> const buffers{
        {.lifetime = {0, 1}, .size = 4}, {.lifetime = {3, 3}, .size = 7}, {.lifetime = {0, 3}, .size = 0, .pinned = 9}};
    CHECK(assign_offsets(buffers) ==
          offset_plan{.offsets = {0, 0, 9}, .height = 9, .lower_bound = 9, .proof = offset_proof::height_least});
    CHECK(assign_offsets(buffers, {.capacity = 8}).proof == offset_proof::none_exists);
}

TEST_CASE("invalid options are refused", "[allocate]") {
    CHECK(refused_options({.capacity = -1}, "capacity"));
    for (double const seconds : {-0.5, std::numeric_limits<double>::quiet_NaN()})
        CHECK(support::throws<bad_option>(
            [&] { return assign_offsets(four_buffers, {.limits = {.seconds = seconds}}); }, {"time limit"}));
    auto const endless = std::numeric_limits<double>::infinity();
    CHECK(
        assign_offsets(four_buffers, {.limits = {.seconds = endless, .work = std::numeric_limits<std::size_t>::max()}})
            .proof == offset_proof::height_least);
}

TEST_CASE("invalid buffers are refused", "[allocate]") {
    buffer const b{.lifetime = {0, 4}, .size = 8};
    auto const with = [&](buffer const& other) { return std::vector<buffer>{b, other}; };
    CHECK(refused_buffers(with({.lifetime = {0, 4}, .size = -8}), {"buffer 1", "-8"}));
    CHECK(refused_buffers(with({.lifetime = {0, 4}, .size = 8, .alias_of = 1}), {"buffer 1", "alias"}));
    CHECK(refused_buffers(with({.lifetime = {0, 4}, .size = 8, .alias_of = 2}), {"buffer 1", "buffer 2"}));
    CHECK(refused_buffers(with({.lifetime = {0, 4}, .size = 8, .pinned = 0, .alias_of = 0}), {"buffer 1", "pinned"}));
    CHECK(refused_buffers({{.lifetime = {0, 4}, .size = 8, .pinned = 0}, {.lifetime = {3, 5}, .size = 8, .pinned = 7}},
                          {"0 and 1", "pinned"}));
    CHECK(refused_buffers({b, {.size = 1, .alignment = 3, .alias_of = 0}, {.size = 1, .alias_of = 1}},
                          {"buffer 2", "buffer 1", "alias itself"}));
    CHECK(refused_buffers({{.size = 1, .pinned = 2}, {.size = 1, .alignment = 4, .alias_of = 0}},
                          {"buffer 1", "alignment 4"}));
    auto const most = std::numeric_limits<bytes>::max();
    CHECK(support::throws<bad_weight>(
        [&] {
            return assign_offsets(with({.lifetime = {9, 10}, .size = most - 8}));
        },
        {"64 bits"}));
}

TEST_CASE("sizes, alignments and times near the ends of 64 bits are planned", "[allocate]") {
    std::int64_t const first = std::numeric_limits<std::int64_t>::min(),
                       last = std::numeric_limits<std::int64_t>::max();
    bytes const large = bytes{1} << 59;
    std::vector<buffer> buffers = four_buffers;
    for (auto& b : buffers) {
        b.size *= large / 2;
        b.lifetime = {b.lifetime.lower == 0 ? first : b.lifetime.lower,
                      b.lifetime.upper == 6 ? last : b.lifetime.upper};
    }
    CHECK(assign_offsets(buffers).height == 4 * large);
    buffers[1].alignment = large * 2;
    auto const plan = assign_offsets(buffers, {.limits = {.work = 10}});
    CHECK(is_consistent(buffers, plan));
}

TEST_CASE("buffers with gaps and pins, for which greedy planners need 14 bytes, fit into 12", "[allocate]") {
    auto const buffers = io::read_buffers(support::source_dir() + "/tests/data/frameworks/gap_pin_12.csv").buffers;
    auto const plan = assign_offsets(buffers);
    CHECK(is_consistent(buffers, plan));
    CHECK((plan.height == 12 && plan.lower_bound == 12 && plan.proof == offset_proof::height_least));
    CHECK(support::naive_planner(buffers, 8).least_height() == 12);
    CHECK(greedy_height(buffers) == 14);
}

TEST_CASE("a buffer below a gap that ends at an odd byte counts what it takes, for all its alignment", "[allocate]") {
    std::vector<buffer> const buffers{
        {.lifetime = {0, 4}, .size = 16, .alignment = 8, .gaps = {{{1, 3}, interval{5, 16}}}},
        {.lifetime = {1, 3}, .size = 5, .alignment = 8}};
    auto const found = assign_offsets(buffers);
    CHECK(is_consistent(buffers, found));
    CHECK((found.height == 16 && found.lower_bound == 16));
    CHECK(assign_offsets(buffers, {.capacity = 16}).proof != offset_proof::none_exists);
}

TEST_CASE("sizes of one unit do not make heights whole units where a pin lies between them", "[allocate]") {
    std::vector<buffer> const buffers{{.lifetime = {0, 3}, .size = 10, .pinned = 3},
                                      {.lifetime = {0, 2}, .size = 10},
                                      {.lifetime = {1, 3}, .size = 10}};
    auto const found = assign_offsets(buffers);
    CHECK(is_consistent(buffers, found));
    CHECK((found.height == 33 && found.lower_bound == 33));
    CHECK(assign_offsets(buffers, {.capacity = 33}).proof != offset_proof::none_exists);
}

TEST_CASE("a plan is proven least exactly where exhaustive search finds none lower", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = any_buffers(random, 8);
        auto const least = support::naive_planner(buffers, 12).least_height();
        auto const plan = assign_offsets(buffers, {.limits = {.work = 2}});
        RC_ASSERT(is_consistent(buffers, plan));
        RC_ASSERT(plan.height >= least && plan.lower_bound <= least);
        RC_ASSERT(plan.proof == offset_proof::height_least);
        for (auto capacity = std::max<bytes>(least - 2, 0); capacity <= least + 2; ++capacity) {
            auto const fitted = assign_offsets(buffers, {.capacity = capacity, .limits = {.work = 2}});
            RC_ASSERT(is_consistent(buffers, fitted, capacity));
            RC_ASSERT((capacity < least ? fitted.proof == offset_proof::none_exists : fitted.height <= capacity));
        }
    }));
}

TEST_CASE("a plan is never above a greedy planner's, and reproducible", "[allocate][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const buffers = any_buffers(random, 60);
        auto const greedy = greedy_height(buffers);
        for (std::size_t const work : {0U, 1U}) {
            auto const plan = assign_offsets(buffers, {.limits = {.work = work}});
            RC_ASSERT(is_consistent(buffers, plan));
            RC_ASSERT(plan.height <= greedy);
            RC_ASSERT(assign_offsets(buffers, {.limits = {.work = work}}) == plan);
        }
        RC_ASSERT(is_consistent(buffers, assign_offsets(buffers, {.limits = {.seconds = 0.0}})));
    }));
}

TEST_CASE("arenas without a free byte are planned without waste", "[allocate][property][tuning]") {
    std::size_t tight = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const plan = assign_offsets(support::cut_arena(random, 20, 100), {.limits = {.work = 10}});
        RC_ASSERT(plan.lower_bound == 100);
        if (plan.height == 100) ++tight;
    }));
    CHECK(tight > 10);
}

TEST_CASE("2500 buffers are planned without exact search", "[allocate][tuning]") {
    support::split_mix random(1);
    auto const buffers = many_buffers(random, 2500, 5000, 100, 1000);
    auto const plan = assign_offsets(buffers, {.limits = {.work = 5}});
    CHECK(is_consistent(buffers, plan));
    CHECK(plan.height <= greedy_height(buffers));
    CHECK(is_consistent(buffers, assign_offsets(buffers, {.limits = {.seconds = 0.01}})));
}

TEST_CASE("the challenging instances of MiniMalloc fit into 1 MiB", "[allocate][data][long]") {
    for (auto const* name : {"A", "C", "E", "F", "G", "I"}) {
        auto const buffers = data_buffers(std::string(name) + ".1048576.csv");
        if (buffers.empty()) SKIP("there is no data folder public/allocation");
        INFO(name);
        auto const plan = assign_offsets(buffers, {.capacity = 1'048'576});
        CHECK(is_consistent(buffers, plan, 1'048'576));
        CHECK(plan.height <= 1'048'576);
    }
}

TEST_CASE("D fits into 1047552 bytes, and G_1 is proven least", "[allocate][data][tuning]") {
    auto const golden = support::data_json("public/allocation/golden.json");
    if (!golden) SKIP("there is no data folder public/allocation");
    CHECK(assign_offsets(data_buffers("D.1048576.csv"), {.capacity = 1'047'552}).height <= 1'047'552);
    auto const plan = assign_offsets(data_buffers("G_1.csv"));
    CHECK(plan.proof == offset_proof::height_least);
    CHECK(plan.height == golden->at("instances").at("G_1.csv").at("lower_bound_max_live"));
}

TEST_CASE("assign_offsets ends with what it has where it is told to stop", "[assign_offsets]") {
    support::split_mix random(1);
    auto const buffers = many_buffers(random, 200, 60, 30, 100);
    int asked = 0;
    auto const plan = assign_offsets(buffers, {.limits = {.stop = [&] { return ++asked > 2; }}});
    CHECK(asked >= 3);
    CHECK(asked < 10);
    CHECK(is_consistent(buffers, plan));
    CHECK(plan.proof == offset_proof::none);
}
