// Covers detail/run_with_inputs.hpp.
#include <cstddef>
#include <optional>
#include <vector>

#include <repebble/detail/run_with_inputs.hpp>

#include "support/catch.hpp"

namespace {

using namespace repebble;

/// Operation v makes value v; 3 reads 1 and 2, both read 0.
std::vector<std::vector<std::size_t>> const diamond_inputs{{}, {0}, {0}, {1, 2}};

/// The operations that run for operation 3; nothing where it cannot run.
auto run_in_diamond(std::vector<bool> resident, std::vector<bool> const& recomputable, std::size_t most = 4)
    -> std::optional<std::vector<std::size_t>> {
    std::vector<std::size_t> ran, pending;
    bool const all = detail::run_with_inputs(
        std::size_t{3}, diamond_inputs.size(), pending, [](std::size_t v) { return diamond_inputs[v]; },
        [&](std::size_t x) { return resident[x]; },
        [&](std::size_t x) { return recomputable[x] ? std::optional(x) : std::nullopt; },
        [&](std::size_t v) {
            ran.push_back(v);
            resident[v] = true;
            return ran.size() < most;
        });
    return all ? std::optional(ran) : std::nullopt;
}

}  // namespace

TEST_CASE("run_with_inputs: missing inputs run once, first ones first, resident ones do not") {
    std::vector<bool> const all(4, true);
    using order = std::vector<std::size_t>;
    CHECK(run_in_diamond({false, false, false, false}, all, 5) == order{0, 1, 2, 3});
    CHECK(run_in_diamond({false, true, false, false}, all) == order{0, 2, 3});
    CHECK(run_in_diamond({false, true, true, false}, all) == order{3});
}

TEST_CASE("run_with_inputs: ends where an input cannot be recomputed, and where run says so") {
    CHECK_FALSE(run_in_diamond({false, true, false, false}, {false, true, true, true}));
    CHECK_FALSE(run_in_diamond({false, false, false, false}, std::vector<bool>(4, true), 2));
}
