// Covers chains/detail/frontier/pareto_table.hpp.
// The curves of the table, against a recursion over all splits and against all schedules of small chains.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include <rapidcheck.h>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/detail/equal_subchains.hpp>
#include <repebble/chains/detail/frontier/pareto_table.hpp>
#include <repebble/pebbling/replay.hpp>

#include "chains/random_chain.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

using detail::pareto_table;
using detail::pareto_table_options;
using detail::rounding;

constexpr bytes plenty = 1000;
constexpr std::size_t points = 100'000;

/// The least overhead of stages i … l of a chain within so many bytes beside their input, by trying all splits: a stage
/// records a tape, or stages run forward to the next checkpoint.
class every_split {
  public:
    explicit every_split(chain const& of) : sums_(of) {}

    auto least(std::size_t i, std::size_t l, bytes memory) -> std::optional<std::int64_t> {
        auto const key = std::tuple(i, l, memory);
        if (auto const known = known_.find(key); known != known_.end()) return known->second;
        std::optional<std::int64_t> best;
        auto const offer = [&](std::int64_t added, std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
            if (a && b && (!best || added + *a + *b < *best)) best = added + *a + *b;
        };
        auto const wait = sums_.gradient(l + 1);
        for (std::size_t tape = 0; tape < sums_.stage(i).tapes.size(); ++tape) {
            auto const& t = sums_.stage(i).tapes[tape];
            auto const backward = sums_.gradient(i) + sums_.gradient(i + 1) + t.saved + t.backward_workspace;
            if (memory < std::max(wait + t.saved + t.forward_workspace, backward)) continue;
            offer(t.extra_time, i == l ? 0 : least(i + 1, l, memory - t.saved), 0);
        }
        bytes running = 0;
        for (auto j = i + 1; j <= l; ++j) {
            running = std::max(running, sums_.forward_bytes(j - 1) + (j - 1 > i ? sums_.value(j - 1) : 0));
            if (memory < wait + running) break;
            offer(sums_.forward_time(i, j), least(j, l, memory - sums_.value(j)), least(i, j - 1, memory));
        }
        return known_[key] = best;
    }

  private:
    detail::chain_sums sums_;
    std::map<std::tuple<std::size_t, std::size_t, bytes>, std::optional<std::int64_t>> known_;
};

auto any_chain(support::split_mix& random, std::size_t most, bool negative = false) -> chain {
    return support::random_chain(random, {.stages = 1 + support::below(random, most),
                                          .most_tapes = 1 + support::below(random, 2),
                                          .negative = negative,
                                          .alike = support::chance(random, 50)});
}

}  // namespace

TEST_CASE("pareto_table: a stop is heard while equal parts of a chain are looked for", "[chain]") {
    chain all;
    for (int k = 0; k < 40; ++k)
        all.stages.push_back({.forward_time = k, .backward_time = 1, .output = 1, .tapes = {{.saved = 1}}});
    detail::chain_sums const sums(all);
    int asked = 0;
    CHECK_FALSE(detail::equal_subchains(sums, [&] { return ++asked == 40; }).complete());
    CHECK(detail::equal_subchains(sums).count() == 40 * 41 / 2);
    asked = 0;
    CHECK_FALSE(pareto_table(sums, {.most = plenty, .most_points = points}, [&] { return ++asked == 40; }).complete());
    CHECK(asked == 40);
}

TEST_CASE("pareto_table: two equal stages and a loss, by hand", "[chain]") {
    chain of{.input = 4, .input_gradient = 4};
    of.stages.assign(2, {1, 2, 4, 4, 0, {{.saved = 6}}});
    of.stages.push_back({0, 0, 0, 0, 0, {{}}});
    detail::chain_sums const sums(of);
    pareto_table const table(sums, {.most = plenty, .most_points = points});
    REQUIRE(table.complete());
    // Beside the input: both tapes and both gradients of stage 1 take 20; with a value for the tape of stage 0, 18.
    CHECK(table.root() == detail::chain_curve{{18, 1}, {20, 0}});
    SECTION("a smaller budget ends the curve") {
        pareto_table const shorter(sums, {.most = 19, .most_points = points});
        CHECK(shorter.root() == detail::chain_curve{{18, 1}});
        CHECK(pareto_table(sums, {.most = 17, .most_points = points}).root().empty());
    }
    SECTION("a limit on points, and a stop, leave the table incomplete") {
        CHECK_FALSE(pareto_table(sums, {.most = plenty, .most_points = 5}).complete());
        CHECK_FALSE(pareto_table(sums, {.most = plenty, .most_points = points}, [] { return true; }).complete());
    }
}

TEST_CASE("pareto_table: stages that run forward to a checkpoint stand beside the gradient that waits", "[chain]") {
    // Stage 1 reads 10 bytes and writes 1, beside the 5 of the last gradient, whatever is kept.
    chain const of{.input = 0,
                   .stages = {{.forward_time = 1, .output = 10, .tapes = {{.saved = 10}}},
                              {.forward_time = 1, .output = 1, .tapes = {{.saved = 1}}},
                              {.gradient = 5, .tapes = {{}}}}};
    detail::chain_sums const sums(of);
    CHECK(pareto_table(sums, {.most = plenty, .most_points = points}).root() == detail::chain_curve{{16, 0}});
}

TEST_CASE("pareto_table: the curve is the least over all splits, at every budget", "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = any_chain(random, 8, support::chance(random, 50));
        detail::chain_sums const sums(of);
        pareto_table const table(sums, {.most = plenty, .most_points = points});
        RC_ASSERT(table.complete());
        every_split splits(of);
        for (bytes memory = 0; memory < 120; ++memory)
            RC_ASSERT(detail::time_at(table.root(), memory) == splits.least(0, sums.size() - 1, memory));
    }));
}

TEST_CASE("pareto_table: no persistent schedule is faster, and the plan takes what the curve says",
          "[chain][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = any_chain(random, 4);
        detail::chain_sums const sums(of);
        bool const drop = support::chance(random, 50);
        pareto_table const table(sums, {.drop_saved_inputs = drop, .most = plenty, .most_points = points});
        chain_dataflow const judge(of);
        for (auto const& [budget, overhead] : table.root()) {
            auto const cost = judge.replay(table.actions_within(budget));
            RC_ASSERT((cost.peak <= budget + of.input && cost.time == sums.time_once() + overhead));
        }
        for (bytes budget = 0; budget < 70; budget += 1 + support::between(random, 0, 6)) {
            auto const least = support::brute_persistent::least_time(of, budget + of.input, drop);
            auto const found = detail::time_at(table.root(), budget);
            RC_ASSERT(found.has_value() == least.has_value());
            if (found) RC_ASSERT(*found + sums.time_once() == *least);
        }
    }));
}

TEST_CASE("pareto_table: curves rounded down and up enclose the exact one", "[chain][property]") {
    std::size_t fewer = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const of = any_chain(random, 10);
        detail::chain_sums const sums(of);
        pareto_table_options options{.most = plenty, .loss = 0.4, .most_points = points};
        pareto_table const exact(sums, options);
        options.round = rounding::down;
        pareto_table const below(sums, options);
        options.round = rounding::up;
        pareto_table const above(sums, options);
        fewer += above.root().size() < exact.root().size() ? 1U : 0U;
        for (bytes memory = 0; memory < 120; ++memory) {
            auto const least = detail::time_at(exact.root(), memory);
            auto const low = detail::time_at(below.root(), memory), high = detail::time_at(above.root(), memory);
            RC_ASSERT((low.has_value() == least.has_value() && high.has_value() == least.has_value()));
            if (least) RC_ASSERT((*low <= *least && *least <= *high));
        }
    }));
    CHECK(fewer > 0);
}
