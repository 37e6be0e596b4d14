// Covers planner/detail/sequences/memory_profile.hpp.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/planner/detail/sequences/memory_profile.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"

using namespace repebble;
using support::below;
using support::between;

namespace {

struct listed_step {
    detail::memory_profile::node step;
    bytes load;
};

void is_the_same(detail::memory_profile const& profile, std::vector<listed_step> const& list, bytes limit) {
    REQUIRE(profile.size() == list.size());
    bytes most = 0, beyond = 0;
    auto i = profile.first();
    for (std::size_t k = 0; k < list.size(); ++k) {
        REQUIRE(i == list[k].step);
        REQUIRE(profile.resident_bytes(i) == list[k].load);
        most = std::max(most, list[k].load);
        beyond += std::max<bytes>(0, list[k].load - limit);
        if (k > 0) {
            REQUIRE(profile.position(list[k - 1].step) < profile.position(i));
            REQUIRE(profile.previous(i) == list[k - 1].step);
        }
        i = profile.next(i);
    }
    CHECK(i == detail::memory_profile::none);
    CHECK(profile.peak() == most);
    CHECK(profile.excess() == beyond);
    if (!list.empty()) CHECK(profile.resident_bytes(profile.peak_step()) == most);
}

}  // namespace

TEST_CASE("memory_profile: agrees with a plain list under insertions, removals and additions") {
    constexpr bytes limit = 12;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        support::split_mix random(seed);
        detail::memory_profile profile(limit);
        std::vector<listed_step> list;
        std::vector<detail::memory_profile::node> unused;
        for (detail::memory_profile::node i = 0; i < 400; ++i) unused.push_back(i);
        profile.reserve_nodes(400);
        bool growing = true;
        for (int round = 0; round < 3000; ++round) {
            if (unused.empty()) growing = false;
            if (list.empty()) growing = true;
            auto const dice = below(random, 10);
            auto const at = below(random, list.size() + 1);
            if (dice < (growing ? 5U : 2U) && !unused.empty()) {
                auto const step = unused.back();
                unused.pop_back();
                auto const load = between(random, 0, 9);
                profile.insert(step, at == list.size() ? detail::memory_profile::none : list[at].step, load);
                list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), {step, load});
            } else if (dice < 7 && at < list.size()) {
                profile.erase(list[at].step);
                unused.push_back(list[at].step);
                list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
            } else if (at < list.size()) {
                auto const to = at + below(random, list.size() - at);
                auto const amount = between(random, -5, 5);
                profile.add(list[at].step, list[to].step, amount);
                for (auto k = at; k <= to; ++k) list[k].load += amount;
            }
            if (round % 50 == 0) is_the_same(profile, list, limit);
        }
        is_the_same(profile, list, limit);
    }
}
