// Covers traces/simulate_swaps.hpp, traces/swap_problem.hpp.
// Points of the paper that are open are named by their number in the list of decisions.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <ranges>
#include <vector>

#include <rapidcheck.h>

#include <repebble/traces/simulate_swaps.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/throws.hpp"
#include "traces/hand_traces.hpp"

using namespace repebble;

namespace {

using support::trace_by_hand;
using choice = swap_choice;

auto interval_of(swap_problem const& p, variable_index v, std::size_t which = 0) -> std::size_t {
    for (std::size_t i = 0; i < p.intervals().size(); ++i)
        if (p.intervals()[i].variable == v && which-- == 0) return i;
    throw std::out_of_range("no such interval");
}

auto plan_with(swap_problem const& p, std::vector<std::pair<std::size_t, choice>> const& choices) -> swap_plan {
    auto plan = p.keep_all();
    for (auto const& [i, c] : choices) plan[i] = c;
    return plan;
}

}  // namespace

TEST_CASE("figure 4: offloading at the limit waits 0.5 seconds forward and 0.5 backward", "[simulate_swaps]") {
    swap_problem const p(support::figure_4());
    REQUIRE(p.intervals().size() == 1);
    auto const i = interval_of(p, 0);
    CHECK(p.intervals()[i].last_use == 3);
    CHECK(p.intervals()[i].next_use == 8);
    swap_options const options{.limit = 100, .link = support::figure_4_link};
    auto const r = simulate_swaps(p, plan_with(p, {{i, choice::offload}}), options);
    CHECK(r.feasible);
    CHECK(r.copied_out[i] == 450);
    CHECK(r.row_begin[4] == 450);  // the malloc waits for the copy (points 11, 12)
    CHECK(r.row_begin[5] == 550);
    CHECK(r.row_begin[7] == 750);
    CHECK(r.row_begin[8] == 900);  // the copy in begins when X1 is freed, at 750 (points 14, 15)
    CHECK(r.overhead == 100);
    CHECK(r.peak == 100);
    CHECK(r.moved == 200);
}

TEST_CASE("a variable that two computations have written cannot be computed again by the second", "[simulate_swaps]") {
    using what = trace_action;
    for (bool const two : {false, true}) {
        trace t{.rows = {{0, what::malloc, 0},
                         {1, what::write, 0, 0},
                         {2, what::write, two ? 0U : 1U, 1},
                         {3, what::write, 2, 2},
                         {4, what::read, 0, 3}},
                .sizes = {10, 10, 10},
                .computations = std::vector<trace_computation>(4),
                .duration = 5};
        swap_problem const p(std::move(t));
        auto const& interval = p.intervals()[interval_of(p, 0)];
        CHECK(interval.next_use == 4);
        CHECK(interval.is_removable == !two);
    }
}

TEST_CASE("a computation that writes over what was there cannot run again", "[simulate_swaps]") {
    using what = trace_action;
    for (bool const over : {false, true}) {
        // Computation 0 writes variable 0, and variable 1: all of it, or over what it held at the beginning.
        trace t{.rows = {{0, what::malloc, 0},
                         {1, what::write, 0, 0},
                         {2, what::write, over ? 1U : 0U, 0},
                         {3, what::read, 2, 1},
                         {4, what::read, 0, 2}},
                .sizes = {10, 10, 10},
                .computations = std::vector<trace_computation>(3),
                .duration = 5};
        swap_problem const p(std::move(t));
        CHECK(p.intervals()[interval_of(p, 0)].is_removable == !over);
    }
}

TEST_CASE("figure 4: with room beside X0 offloading costs nothing", "[simulate_swaps]") {
    swap_problem const p(support::figure_4());
    auto const i = interval_of(p, 0);
    auto const r =
        simulate_swaps(p, plan_with(p, {{i, choice::offload}}), {.limit = 200, .link = support::figure_4_link});
    CHECK(r.overhead == 0);
    CHECK(r.row_begin[4] == 400);
    CHECK(r.copied_out[i] == 450);
    CHECK(r.peak == 200);
}

TEST_CASE("figure 4: removing X0 costs the time of computing it again", "[simulate_swaps]") {
    swap_problem const p(support::figure_4());
    auto const i = interval_of(p, 0);
    CHECK(p.intervals()[i].is_removable);
    auto const r =
        simulate_swaps(p, plan_with(p, {{i, choice::remove}}), {.limit = 100, .link = support::figure_4_link});
    CHECK(r.feasible);
    CHECK(r.overhead == 100);
    CHECK(r.run_again == 100);
    CHECK(r.row_begin[4] == 400);
    CHECK(r.row_begin[8] == 900);
}

TEST_CASE("figure 4: a plan that does not fit says at which row", "[simulate_swaps]") {
    swap_problem const p(support::figure_4());
    auto const r = simulate_swaps(p, p.keep_all(), {.limit = 199, .link = support::figure_4_link});
    CHECK(!r.feasible);
    CHECK(r.first_overfull == 4);
    CHECK(r.least_limit == 200);
    CHECK(simulate_swaps(p, p.keep_all(), {.limit = 200}).feasible);
}

TEST_CASE("points 8, 13: a copy begins with the last read, or when the variable is written", "[simulate_swaps]") {
    trace_by_hand t;
    auto const x = t.variable(4), y = t.variable(4);
    t.malloc(x);         // 0
    t.compute({}, {x});  // 1
    t.malloc(y);         // 2
    t.compute({x}, {});  // 3
    t.compute({}, {y});  // 4
    t.compute({y}, {});  // 5
    t.free(y);           // 6
    t.compute({x}, {});  // 7
    swap_problem const p(t.finish());
    auto const i = interval_of(p, x, 1);
    swap_options options{.limit = 100, .link = {.size = 4, .time = 15}, .timeline = true};
    auto const begin_of_copy = [&](swap_plan const& plan) {
        auto const r = simulate_swaps(p, plan, options);
        auto const at = std::ranges::find(r.timeline, swap_event::kind::copy_out, &swap_event::what);
        return at->begin;
    };
    CHECK(begin_of_copy(plan_with(p, {{i, choice::offload}})) == 30);
    options.copy_out = swap_options::copy_start::written;
    CHECK(begin_of_copy(plan_with(p, {{i, choice::offload}})) == 20);
    // Where the last use is the write, the copy begins at its end in both cases.
    options.copy_out = swap_options::copy_start::last_use;
    auto const first = interval_of(p, x, 0);
    CHECK(p.intervals()[first].is_written);
    CHECK(begin_of_copy(plan_with(p, {{first, choice::offload}})) == 20);
}

TEST_CASE("point 12: memory is free at the end of the read where the copy is faster", "[simulate_swaps]") {
    swap_problem const p(support::figure_4());
    auto const i = interval_of(p, 0);
    auto const r =
        simulate_swaps(p, plan_with(p, {{i, choice::offload}}), {.limit = 100, .link = {.size = 100, .time = 20}});
    CHECK(r.copied_out[i] == 320);
    CHECK(r.row_begin[4] == 400);
    CHECK(r.overhead == 0);
}

namespace {

/// x0 and x1 are written, then z fills the memory, then x1 and x0 are read, as in a backward pass.
auto two_to_bring_back() -> trace {
    trace_by_hand t;
    auto const x0 = t.variable(4), x1 = t.variable(4), z = t.variable(8);
    t.malloc(x0);         // 0
    t.compute({}, {x0});  // 1
    t.malloc(x1);         // 2
    t.compute({}, {x1});  // 3
    t.malloc(z);          // 4
    t.compute({}, {z});   // 5
    t.compute({z}, {});   // 6
    t.free(z);            // 7
    t.compute({x1}, {});  // 8
    t.free(x1);           // 9
    t.compute({x0}, {});  // 10
    t.free(x0);           // 11
    return t.finish();
}

}  // namespace

TEST_CASE("point 14: copies in come strictly in the order of next use", "[simulate_swaps]") {
    swap_problem const p(two_to_bring_back());
    auto const i0 = interval_of(p, 0), i1 = interval_of(p, 1);
    auto const plan = plan_with(p, {{i0, choice::offload}, {i1, choice::offload}});
    auto const r = simulate_swaps(p, plan, {.limit = 8, .link = {.size = 4, .time = 10}, .timeline = true});
    CHECK(r.feasible);
    std::vector<swap_event> in;
    std::ranges::copy_if(r.timeline, std::back_inserter(in),
                         [](auto const& e) { return e.what == swap_event::kind::copy_in; });
    REQUIRE(in.size() == 2);
    CHECK(in[0].index == i1);
    CHECK(in[0].begin == r.row_begin[7]);
    CHECK(in[1].index == i0);
    CHECK(in[1].begin == in[0].end);
    CHECK(r.row_begin[8] == in[0].end);
}

TEST_CASE("point 14: a copy in needs room at every row until its use, else it waits, and the next one with it",
          "[simulate_swaps]") {
    trace_by_hand t;
    auto const x = t.variable(6), y = t.variable(2), z = t.variable(4);
    t.malloc(x);         // 0
    t.malloc(y);         // 1
    t.compute({}, {x});  // 2
    t.compute({}, {y});  // 3
    t.compute({}, {});   // no rows
    t.malloc(z);         // 4
    t.compute({}, {z});  // 5
    t.compute({z}, {});  // 6
    t.compute({x}, {});  // 7
    t.compute({y}, {});  // 8
    auto made = t.finish();
    made.computations.erase(made.computations.begin() + 2);
    for (auto& row : made.rows)
        if (row.computation != no_computation && row.computation > 2) --row.computation;
    swap_problem const p(made);
    auto const ix = interval_of(p, x), iy = interval_of(p, y);
    auto const plan = plan_with(p, {{ix, choice::offload}, {iy, choice::offload}});
    // z stays to the end: of 10 bytes it leaves room for x, but not at once for both.
    auto const wide = simulate_swaps(p, plan, {.limit = 12, .link = {.size = 2, .time = 1}, .timeline = true});
    CHECK(wide.feasible);
    auto const tight = simulate_swaps(p, plan, {.limit = 9, .link = {.size = 2, .time = 1}});
    CHECK(!tight.feasible);
    CHECK(tight.first_overfull == 7);
    CHECK(tight.least_limit == 12);  // x is still there when y is read
    // The letter asks for room until the end, where z and x leave none for y: y comes back with its use.
    auto options = swap_options{.limit = 12, .link = {.size = 2, .time = 1}, .timeline = true};
    auto const in_of = [&](std::size_t i) {
        auto const r = simulate_swaps(p, plan, options);
        return std::ranges::find_if(r.timeline,
                                    [&](auto const& e) { return e.what == swap_event::kind::copy_in && e.index == i; })
            ->begin;
    };
    auto const early = in_of(iy);
    options.copy_in = swap_options::room::until_end;
    CHECK(in_of(iy) > early);
}

TEST_CASE("point 15: a variable that is used while its copy out is under way has never left", "[simulate_swaps]") {
    swap_problem const p(support::figure_4());
    auto const i = interval_of(p, 0);
    auto const r =
        simulate_swaps(p, plan_with(p, {{i, choice::offload}}), {.limit = 200, .link = {.size = 100, .time = 1000}});
    CHECK(r.copied_out[i] == 1300);
    CHECK(r.overhead == 0);
    CHECK(r.moved == 100);
    CHECK(r.peak == 200);
}

TEST_CASE("point 16: while computing waits for a copy, the next removed value is computed", "[simulate_swaps]") {
    swap_problem const p(two_to_bring_back());
    auto const i0 = interval_of(p, 0), i1 = interval_of(p, 1);
    auto const plan = plan_with(p, {{i1, choice::offload}, {i0, choice::remove}});
    swap_options options{.limit = 8, .link = {.size = 4, .time = 40}};
    auto const early = simulate_swaps(p, plan, options);
    options.run_early = false;
    auto const late = simulate_swaps(p, plan, options);
    // x1 leaves from 40 to 80, z begins there; x1 comes back from the free of z on.
    CHECK(early.row_begin[4] == 80);
    CHECK(early.row_begin[8] == early.row_begin[7] + 40);
    CHECK(late.row_begin[8] == early.row_begin[8]);
    CHECK(late.row_begin[10] == late.row_begin[9] + 20);
    CHECK(early.row_begin[10] == early.row_begin[9] + 10);
    CHECK(late.overhead - early.overhead == 10);
    CHECK(early.run_again == 10);
    // Where x0 does not fit beside x1 until its use, it waits.
    options.run_early = true;
    options.limit = 7;
    CHECK(!simulate_swaps(p, plan, options).feasible);
}

TEST_CASE("point 17: what a removed variable is computed from comes back first", "[simulate_swaps]") {
    trace_by_hand t;
    auto const a = t.variable(1), b = t.variable(1), c = t.variable(1), z = t.variable(1);
    t.malloc(a);
    t.compute({}, {a});
    t.malloc(b);
    t.compute({a}, {b});
    t.malloc(c);
    t.compute({b}, {c});
    t.free(b);  // b is not read again
    t.malloc(z);
    t.compute({}, {z});
    t.free(z);
    t.compute({c}, {});
    t.compute({a}, {});
    swap_problem const p(t.finish());
    auto const ia = interval_of(p, a, 1), ic = interval_of(p, c);
    CHECK(p.intervals()[ia].is_removable);
    REQUIRE(p.intervals()[ic].is_removable);
    // a and c are removed: for c, a and the freed b are computed too; a stays, b goes. One of each: a 10, b 20, c 20.
    auto const both = simulate_swaps(p, plan_with(p, {{ia, choice::remove}, {ic, choice::remove}}), {.limit = 3});
    CHECK(both.feasible);
    CHECK(both.least_limit == 3);
    CHECK(both.run_again == 10 + 20 + 20);
    CHECK(both.overhead == 50);
    // a is on the host: it is fetched for c.
    auto const mixed = simulate_swaps(p, plan_with(p, {{ia, choice::offload}, {ic, choice::remove}}),
                                      {.limit = 3, .link = {.size = 1, .time = 10}});
    CHECK(mixed.feasible);
    CHECK(mixed.run_again == 40);
    CHECK(mixed.moved == 2);
}

TEST_CASE("a chain of 100,000 computations runs again, and intervals take no more than linear time",
          "[simulate_swaps][long]") {
    constexpr std::size_t length = 100'000;
    trace_by_hand t(1);
    auto const parameter = t.variable(1), sum = t.variable(1), last = t.variable(1);
    for (auto before = sum; auto const i : std::views::iota(std::size_t{0}, length)) {
        auto const x = i + 1 == length ? last : t.variable(1);
        t.malloc(x);
        if (i == 0)
            t.compute({parameter}, {x});
        else
            t.compute({before, parameter}, {x});
        if (i > 0) t.free(before);
        if (i % 4 == 0) t.compute({sum}, {sum});  // each of its intervals has all earlier writes behind it
        before = x;
    }
    auto const z = t.variable(1);
    t.malloc(z);
    t.compute({}, {z});
    t.compute({last}, {});
    swap_problem const p(t.finish());
    CHECK(p.intervals().size() > length);
    auto const i = interval_of(p, last);
    REQUIRE(p.intervals()[i].is_removable);
    auto const r = simulate_swaps(p, plan_with(p, {{i, choice::remove}}), {.limit = length + 3});
    CHECK(r.feasible);  // what was freed is there until the use
    // A row for each read and write.
    CHECK(r.run_again == 3 * std::int64_t{length} - 1);
}

TEST_CASE("point 9: only what can be computed again is removable", "[simulate_swaps]") {
    trace_by_hand t;
    auto const parameter = t.variable(1), x = t.variable(1), noise = t.variable(1), sum = t.variable(1);
    t.malloc(x);
    t.malloc(noise);
    t.malloc(sum);
    t.compute({parameter}, {x});
    t.compute({}, {noise}, false);
    t.compute({}, {sum});
    t.compute({sum}, {sum});
    t.compute({x}, {});
    t.compute({parameter}, {parameter});  // the update
    t.compute({sum}, {});
    t.compute({noise}, {});
    t.compute({x}, {});
    swap_problem const p(t.finish());
    CHECK(p.intervals()[interval_of(p, x, 0)].is_removable);
    CHECK(!p.intervals()[interval_of(p, x, 1)].is_removable);   // the parameter has changed
    CHECK(!p.intervals()[interval_of(p, noise)].is_removable);  // runs once
    CHECK(!p.intervals()[interval_of(p, sum)].is_removable);    // written twice
    auto const i = interval_of(p, noise);
    CHECK(support::throws<bad_option>(
        [&] {
            return simulate_swaps(p, plan_with(p, {{i, choice::remove}}), {});
        },
        {"interval " + std::to_string(i), "variable 2"}));
    CHECK(support::throws<bad_option>([&] { return simulate_swaps(p, {}, {}); }, {"0 choices"}));
    CHECK(support::throws<bad_weight>([&] { return simulate_swaps(p, p.keep_all(), {.limit = -1}); }, {"limit"}));
    CHECK(
        support::throws<bad_weight>([&] { return simulate_swaps(p, p.keep_all(), {.link = {.size = 0}}); }, {"link"}));
}

TEST_CASE("point 28: an interval wraps round the iteration", "[simulate_swaps]") {
    trace_by_hand t;
    auto const x = t.variable(4), y = t.variable(4);
    t.malloc(y);         // 0
    t.compute({}, {y});  // 1
    t.free(y);           // 2
    t.compute({x}, {});  // 3
    t.compute({x}, {});  // 4
    t.malloc(y);         // 5
    t.compute({}, {y});  // 6
    t.free(y);           // 7
    swap_problem const p(t.finish());
    CHECK(p.persistent() == 4);
    auto const i = interval_of(p, x);
    REQUIRE(p.intervals()[i].wraps);
    CHECK(!p.intervals()[i].is_removable);
    auto const plan = plan_with(p, {{i, choice::offload}});
    auto const r = simulate_swaps(p, plan, {.limit = 4, .link = {.size = 4, .time = 10}});
    CHECK(p.peak() == 8);
    CHECK(r.feasible);
    CHECK(r.overhead == 0);  // in from 20 to 30, out from 40 to 50
    CHECK(r.peak == 4);
    auto const slow = simulate_swaps(p, plan, {.limit = 4, .link = {.size = 4, .time = 25}});
    CHECK(slow.row_begin[3] == 45);
    CHECK(slow.row_begin[5] == 80);
    CHECK(slow.overhead == 30);
    // The iteration ends when its last copy has.
    auto const free = simulate_swaps(p, plan, {.limit = 8, .link = {.size = 4, .time = 50}});
    CHECK(free.row_begin[3] == 50);
    CHECK(free.overhead == 30);
}

TEST_CASE("copies share one lane over a half duplex link", "[simulate_swaps]") {
    swap_problem const p(two_to_bring_back());
    auto const plan = plan_with(p, {{interval_of(p, 0), choice::offload}, {interval_of(p, 1), choice::offload}});
    swap_options options{.limit = 8, .link = {.size = 4, .time = 30, .half_duplex = true}};
    auto const half = simulate_swaps(p, plan, options);
    options.link.half_duplex = false;
    CHECK(half.overhead >= simulate_swaps(p, plan, options).overhead);
}

namespace {

/// Plays a timeline by itself: lanes do not overlap, copies have what they copy, uses find their variable, and no
/// moment has more bytes than the peak.
void check_timeline(swap_problem const& p, swap_plan const& plan, swap_options const& options, swap_result const& r) {
    using kind = swap_event::kind;
    std::map<std::int64_t, bytes> change;  // of the memory in use
    std::vector<std::pair<std::int64_t, std::int64_t>> compute, out, in;
    std::map<std::size_t, std::int64_t> in_begin, in_end, out_begin;
    for (auto const& e : r.timeline) {
        RC_ASSERT(e.begin <= e.end);
        if (e.what == kind::row || e.what == kind::run) compute.emplace_back(e.begin, e.end);
        if (e.what == kind::copy_out) out.emplace_back(e.begin, e.end), out_begin[e.index] = e.begin;
        if (e.what == kind::copy_in) {
            (options.link.half_duplex ? out : in).emplace_back(e.begin, e.end);
            in_begin.try_emplace(e.index, e.begin);
            in_end.try_emplace(e.index, e.end);
        }
    }
    for (auto* lane : {&compute, &out, &in}) {
        std::ranges::sort(*lane);
        for (std::size_t k = 1; k < lane->size(); ++k) RC_ASSERT((*lane)[k - 1].second <= (*lane)[k].first);
    }
    for (std::size_t i = 0; i < plan.size(); ++i) {
        auto const& interval = p.intervals()[i];
        if (plan[i] == swap_choice::keep || interval.wraps) continue;
        auto const last_row = p.at(p.iteration().rows[interval.last_use].computation).last_row;
        auto const used_until = r.row_begin[last_row] + p.duration(last_row);
        if (plan[i] == swap_choice::remove) {
            // It is back with a run of its producer before its use; of several at the latest, as some take no time.
            std::optional<std::int64_t> again;
            for (auto const& event : r.timeline)
                if (event.what == kind::run && event.index == interval.producer && event.begin >= used_until &&
                    event.end <= r.row_begin[interval.next_use])
                    again = std::max(again.value_or(0), event.begin);
            RC_ASSERT(again.has_value());
            change[used_until] -= p.size(interval);
            change[*again] += p.size(interval);
            continue;
        }
        RC_ASSERT(out_begin.at(i) <= r.copied_out[i]);
        if (interval.is_written) RC_ASSERT(out_begin.at(i) >= used_until);
        auto const gone_from = std::max(r.copied_out[i], used_until);
        if (!in_begin.contains(i)) continue;  // used before it had left
        RC_ASSERT(in_begin.at(i) >= r.copied_out[i]);
        RC_ASSERT(in_end.at(i) <= r.row_begin[interval.next_use]);
        change[gone_from] -= p.size(interval);
        change[in_begin.at(i)] += p.size(interval);
    }
    if (std::ranges::any_of(p.intervals(), &reuse_interval::wraps)) return;
    // Memory, by the rows, the copies and what runs again, with its workspace.
    for (auto const& e : r.timeline) {
        if (e.what != kind::run) continue;
        change[e.begin] += p.iteration().computations[e.index].workspace;
        change[e.end] -= p.iteration().computations[e.index].workspace;
    }
    for (std::size_t row = 0; row < p.row_count(); ++row) {
        auto const before = row == 0 ? 0 : p.memory(row - 1);
        change[r.row_begin[row]] += p.memory(row) - before;
    }
    bytes now = 0;
    for (auto const& [when, bytes_more] : change) {
        now += bytes_more;
        RC_ASSERT(now <= r.peak);
    }
}

void check_simulation(swap_problem const& p, swap_plan const& plan, swap_options options) {
    auto const r = simulate_swaps(p, plan, options);
    RC_ASSERT(r == simulate_swaps(p, plan, options));
    RC_ASSERT(r.feasible == (r.least_limit <= options.limit));
    RC_ASSERT(r.feasible == (r.first_overfull == no_row));
    RC_ASSERT(r.overhead >= 0);
    RC_ASSERT(r.overhead >= r.run_again - r.waited);
    RC_ASSERT(r.overhead == r.run_again + r.waited);
    if (r.feasible) RC_ASSERT(r.peak <= options.limit);
    RC_ASSERT(r.row_begin.size() == p.row_count());
    for (std::size_t row = 0; row < p.row_count(); ++row) RC_ASSERT(r.row_begin[row] >= p.iteration().rows[row].begin);
    check_timeline(p, plan, options, r);
    options.limit = r.least_limit;
    RC_ASSERT(simulate_swaps(p, plan, options).feasible);
}

}  // namespace

TEST_CASE("simulated plans keep to their lanes, their order and the limit", "[simulate_swaps][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 20; ++i) {
            swap_problem const p(support::random_trace(random, 10));
            check_simulation(p, support::random_plan(random, p), support::random_swap_options(random, p));
        }
    }));
}

TEST_CASE("keeping all costs nothing and fits from the peak on", "[simulate_swaps][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        swap_problem const p(support::random_trace(random, 10));
        auto const r = simulate_swaps(p, p.keep_all(), {.limit = p.peak()});
        RC_ASSERT(r.feasible);
        RC_ASSERT(r.overhead == 0);
        RC_ASSERT(r.least_limit == p.peak());
        RC_ASSERT(r.peak == p.peak());
    }));
}
