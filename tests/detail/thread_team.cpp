// Covers detail/thread_team.hpp.
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <repebble/detail/thread_team.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("thread_team: runs every task once, with any number of threads", "[thread_team]") {
    for (std::size_t const threads : {1U, 2U, 5U}) {
        detail::thread_team team(threads);
        CHECK(team.size() <= threads);
        for (std::size_t count = 0; count < 200; ++count) {
            std::vector<int> done(count, 0);
            std::atomic<bool> out_of_range{false};
            team.for_each(count, [&](std::size_t k, std::size_t worker) {
                ++done[k];
                if (worker >= team.size()) out_of_range = true;
            });
            REQUIRE(done == std::vector<int>(count, 1));
            REQUIRE(!out_of_range);
        }
    }
}

TEST_CASE("thread_team: an exception reaches the caller, and the next tasks run", "[thread_team]") {
    for (std::size_t const threads : {1U, 3U}) {
        detail::thread_team team(threads);
        for (int again = 0; again < 50; ++again) {
            std::string message;
            try {
                team.for_each(20, [&](std::size_t k, std::size_t) {
                    if (k >= 3) throw std::runtime_error(std::to_string(k));
                });
            } catch (std::runtime_error const& e) {
                message = e.what();
            }
            CHECK(message == "3");
            std::atomic<int> done{0};
            team.for_each(20, [&](std::size_t, std::size_t) { ++done; });
            CHECK(done == 20);
        }
    }
}
