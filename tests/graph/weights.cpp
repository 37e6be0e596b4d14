// Covers graph/weights.hpp.
#include <repebble/graph/weights.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include <repebble/detail/invoke_on_vertex.hpp>

#include <support/archetypes.hpp>
#include <support/catch.hpp>

using namespace repebble;

namespace {

struct tensor {
    std::int64_t size = 0;
    [[nodiscard]] constexpr auto output(std::uint32_t j) const -> std::int64_t { return size + j; }
};
struct layer : tensor {};

template <class F, class... Arguments>
constexpr auto as_invoke(F f, Arguments const&... arguments) -> bool {
    static_assert(
        std::is_same_v<decltype(detail::call(f, arguments...)), std::invoke_result_t<F const&, Arguments const&...>>);
    return detail::call(f, arguments...) == std::invoke(f, arguments...);
}

constexpr auto called_as_by_invoke() -> bool {
    layer const l{{7}};
    layer const* const pointer = &l;
    return as_invoke([](int v) { return 2 * v; }, 3) && as_invoke(&tensor::size, l) &&
           as_invoke(&tensor::size, pointer) && as_invoke(&tensor::output, l, std::uint32_t{2}) &&
           as_invoke(&tensor::output, pointer, std::uint32_t{2}) && as_invoke(&tensor::size, std::cref(l)) &&
           as_invoke(unit_weight{}, l, std::uint32_t{0});
}
static_assert(called_as_by_invoke());

}  // namespace

TEST_CASE("weights are called as by std::invoke: functions, members of vertices, and of their pointees", "[weights]") {
    CHECK(called_as_by_invoke());
    CHECK(as_invoke(&tensor::size, std::make_shared<tensor>(tensor{5})));
}
