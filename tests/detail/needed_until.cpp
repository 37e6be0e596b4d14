// Covers detail/needed_until.hpp.
#include <cstddef>
#include <vector>

#include <repebble/detail/needed_until.hpp>

#include "support/catch.hpp"

TEST_CASE("needed_until: the last reader, or the last recomputation that may read the value") {
    using row = std::vector<std::size_t>;
    // Operation v makes value v: 1 reads 0, 2 reads 1, 3 reads 1 and 2; nothing reads 3.
    std::vector<row> const reads{{}, {0}, {1}, {1, 2}}, writes{{0}, {1}, {2}, {3}};
    row const order{0, 1, 2, 3};
    auto const until = [&](std::size_t again) {
        return repebble::detail::needed_until(
            4, order, [&](std::size_t v) { return reads[v]; }, [&](std::size_t v) { return writes[v]; },
            [&](std::size_t, std::size_t) { return again; });
    };
    CHECK(until(0) == row{1, 3, 3, 0});
    CHECK(until(2) == row{2, 3, 3, 0});
    CHECK(until(3) == row{3, 3, 3, 0});
}
