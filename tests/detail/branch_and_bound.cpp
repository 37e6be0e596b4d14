// Covers detail/branch_and_bound.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/detail/branch_and_bound.hpp>
#include <repebble/detail/never_stop.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

using namespace repebble;

/// Choose for each number whether it is taken, so that the sum is at least `least`, and least: by its bound.
struct subset_search {
    struct subproblem {
        std::int64_t bound = 0;  ///< the sum of those that are taken
        std::vector<bool> decisions{};
    };
    std::vector<std::int64_t> const& numbers;
    std::int64_t least;
    std::int64_t best = detail::branch_and_bound<subproblem>::none;
    detail::branch_and_bound<subproblem> open{};

    void run(detail::stop_test stop) {
        open.branch([&] { return best; }, stop,
                    [&](subproblem const& whole, bool yes) {
                        CHECK(open.bound() <= whole.bound);
                        auto next = whole;
                        if (yes) next.bound += numbers[next.decisions.size()];
                        next.decisions.push_back(yes);
                        if (next.bound >= least)
                            best = std::min(best, next.bound);
                        else if (next.decisions.size() < numbers.size())
                            open.push(std::move(next));
                    });
    }
};

}  // namespace

TEST_CASE("branch_and_bound: finds the least of all choices, and bounds it from below until then") {
    CHECK(support::holds([] {
        auto const numbers = *rc::gen::container<std::vector<std::int64_t>>(6, rc::gen::inRange<std::int64_t>(0, 20));
        auto const least = *rc::gen::inRange<std::int64_t>(1, 60);
        auto expected = detail::branch_and_bound<subset_search::subproblem>::none;
        for (std::uint32_t set = 0; set < 64; ++set) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < 6; ++k)
                if ((set >> k & 1U) != 0) sum += numbers[k];
            if (sum >= least) expected = std::min(expected, sum);
        }
        subset_search search{numbers, least};
        search.open.begin(0, [&] { search.open.push({}); });
        std::size_t left = 3;
        search.run([&] { return left-- == 0; });
        RC_ASSERT(std::min(search.open.bound(), search.best) <= expected);
        search.run(detail::never_stop{});
        RC_ASSERT(search.best == expected);
        RC_ASSERT(search.open.is_solved(search.best));
    }));
}

TEST_CASE("branch_and_bound: a leaf bounds, but is not branched on") {
    detail::branch_and_bound<subset_search::subproblem> open;
    CHECK(open.empty());
    CHECK(open.bound() == open.none);
    open.push_leaf(7);
    open.push_leaf(9);
    CHECK(open.empty());
    CHECK(open.leaf_bound() == 7);
    CHECK(open.bound() == 7);
    CHECK(open.is_solved(8));
    open.begin(3, [&] { CHECK(open.bound() == 3); });
    CHECK(open.bound() == open.none);
}
