// Covers graph/unmet_weight.hpp.
#include <concepts>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/unmet_weight.hpp>
#include <repebble/graph/weights.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

using two_vertices = std::vector<std::vector<int>>;
constexpr auto of_text = [](std::string const& text) { return static_cast<int>(text.size()); };
constexpr auto to_text = [](int v) { return std::to_string(v); };

template <class Weights, class Requirement>
constexpr bool names = std::same_as<unmet_weight<Weights, two_vertices>, Requirement>;

}  // namespace

static_assert(names<decltype(weights{of_text, unit_weight{}}), unmet::weights_time_is_no_callable_on_vertices>);
static_assert(names<decltype(weights{to_text, unit_weight{}}), unmet::weights_time_does_not_return_a_number>);
static_assert(names<decltype(weights{unit_weight{}, of_text}), unmet::weights_memory_is_no_callable_on_vertices>);
static_assert(names<decltype(weights{unit_weight{}, to_text}), unmet::weights_memory_does_not_return_a_number>);

TEST_CASE("unmet_weight: weights that fit are refused for nothing") {
    CHECK(weights_for<decltype(weights{unit_weight{}, unit_weight{}}), two_vertices>);
    CHECK_FALSE(weights_for<decltype(weights{unit_weight{}, to_text}), two_vertices>);
}
