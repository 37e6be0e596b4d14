// Covers onnx/onnx_shapes.hpp.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/onnx/onnx_shapes.hpp>

#include "onnx_models.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace onnx_models;

namespace {

using contents = std::optional<extents>;

auto integers_of(one_node const& call) -> contents { return known_of(call).front().integers; }
auto reals_of(one_node const& call) -> std::optional<std::vector<double>> { return known_of(call).front().reals; }

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("operators that move elements are folded", "[io]") {
    auto const matrix = whole({0, 1, 2, 3, 4, 5}, extents{2, 3});
    CHECK(integers_of({"Shape", {input({4, 5, 6})}}) == contents{{4, 5, 6}});
    CHECK(integers_of({"Shape", {input({4, 5, 6})}, {attr("start", -2)}}) == contents{{5, 6}});
    CHECK(integers_of({"Size", {input({4, 5})}}) == contents{{20}});
    CHECK(integers_of({"Gather", {whole({7, 8, 9}), scalar(-1)}}) == contents{{9}});
    CHECK(integers_of({"Gather", {matrix, whole({2, 0})}, {attr("axis", 1)}}) == contents{{2, 0, 5, 3}});
    CHECK(integers_of({"GatherElements", {matrix, whole({1, 0, 1}, extents{1, 3})}}) == contents{{3, 1, 5}});
    CHECK(integers_of({"Concat", {whole({1}), whole({}), whole({2, 3})}, {attr("axis", 0)}}) == contents{{1, 2, 3}});
    CHECK(integers_of({"Concat", {matrix, whole({8, 9}, extents{2, 1})}, {attr("axis", 1)}}) ==
          contents{{0, 1, 2, 8, 3, 4, 5, 9}});
    CHECK(integers_of({"Slice", {whole({0, 1, 2, 3, 4}), whole({-1}), whole({least}), whole({0}), whole({-2})}}) ==
          contents{{4, 2, 0}});
    CHECK(integers_of({"Reshape", {matrix, whole({3, 2})}}) == contents{{0, 1, 2, 3, 4, 5}});
    CHECK(integers_of({"Squeeze", {whole({3})}}) == contents{{3}});
    CHECK(integers_of({"Unsqueeze", {scalar(3), whole({0})}}) == contents{{3}});
    CHECK(integers_of({"Transpose", {matrix}}) == contents{{0, 3, 1, 4, 2, 5}});
    CHECK(integers_of({"Expand", {whole({1, 2}, extents{2, 1}), whole({2, 2})}}) == contents{{1, 1, 2, 2}});
    CHECK(integers_of({"Tile", {whole({1, 2}), whole({2})}}) == contents{{1, 2, 1, 2}});
    CHECK(integers_of({"Where", {whole({1, 0}, {}, onnx_type::boolean), whole({5, 6}), scalar(9)}}) ==
          contents{{5, 9}});
    CHECK(integers_of({"Compress", {whole({5, 6, 7}), whole({0, 1, 1}, {}, onnx_type::boolean)}}) == contents{{6, 7}});
    CHECK(integers_of({"ScatterND", {whole({1, 2, 3}), whole({2, 0}, extents{2, 1}), whole({8, 9})}}) ==
          contents{{9, 2, 8}});
    CHECK(integers_of({"ScatterElements", {whole({1, 2, 3}), whole({-1}), whole({8})}}) == contents{{1, 2, 8}});
    CHECK(integers_of({"Trilu", {whole({1, 1, 1, 1}, extents{2, 2})}, {attr("upper", 0)}}) == contents{{1, 0, 1, 1}});
    auto parts = one_node{"Split", {whole({1, 2, 3})}};
    parts.outputs = 2;
    CHECK(known_of(parts)[0].integers == contents{{1, 2}});
    CHECK(known_of(parts)[1].integers == contents{{3}});
}

TEST_CASE("operators that compute or generate numbers are folded", "[io]") {
    CHECK(integers_of({"Add", {whole({1, 2}), scalar(3)}}) == contents{{4, 5}});
    CHECK(integers_of({"Sub", {scalar(3), whole({1, 5})}}) == contents{{2, -2}});
    CHECK(integers_of({"Mul", {whole({2, 3}), whole({4, 5})}}) == contents{{8, 15}});
    CHECK(integers_of({"Div", {whole({7, -7}), scalar(2)}}) == contents{{3, -3}});  // towards zero
    CHECK(integers_of({"Mod", {whole({7, -7}), scalar(3)}}) == contents{{1, 2}});
    CHECK(integers_of({"Mod", {whole({7, -7}), scalar(3)}, {attr("fmod", 1)}}) == contents{{1, -1}});
    CHECK(integers_of({"Pow", {scalar(3), scalar(4)}}) == contents{{81}});
    CHECK(integers_of({"Max", {whole({1, 9}), scalar(4)}}) == contents{{4, 9}});
    CHECK(integers_of({"Neg", {whole({1, -9})}}) == contents{{-1, 9}});
    CHECK(integers_of({"Equal", {whole({1, 2}), scalar(2)}}) == contents{{0, 1}});
    CHECK(integers_of({"Not", {whole({1, 0}, {}, onnx_type::boolean)}}) == contents{{0, 1}});
    CHECK(integers_of({"Less", {reals({0.5, 2}), reals({1, 1})}}) == contents{{1, 0}});
    CHECK(integers_of({"Clip", {whole({1, 5, 9}), scalar(2), scalar(6)}}) == contents{{2, 5, 6}});
    CHECK(integers_of({"Cast", {reals({2.9, -2.9})}, {attr("to", 7)}}) == contents{{2, -2}});
    CHECK(integers_of({"Cast", {reals({0, 0.5})}, {attr("to", 9)}}) == contents{{0, 1}});
    CHECK(reals_of({"Floor", {reals({1.5})}}) == std::vector<double>{1});
    CHECK(integers_of({"ReduceProd", {whole({2, 3, 4})}, {attr("keepdims", 0)}}) == contents{{24}});
    CHECK(integers_of({"ReduceSum", {whole({1, 2, 3, 4}, extents{2, 2}), whole({0})}}) == contents{{4, 6}});
    CHECK(integers_of({"ReduceMax", {whole({1, 2, 3, 4}, extents{2, 2})}, {attr("axes", extents{1})}}) ==
          contents{{2, 4}});
    CHECK(integers_of({"CumSum", {whole({1, 2, 3}), scalar(0)}}) == contents{{1, 3, 6}});
    CHECK(integers_of({"CumSum", {whole({1, 2, 3}), scalar(0)}, {attr("exclusive", 1), attr("reverse", 1)}}) ==
          contents{{5, 3, 0}});
    CHECK(integers_of({"ArgMax", {whole({1, 3, 3})}, {attr("keepdims", 0)}}) == contents{{1}});
    CHECK(integers_of({"Range", {scalar(5), scalar(-1), scalar(-2)}}) == contents{{5, 3, 1}});
    CHECK(integers_of({"NonZero", {whole({0, 1, 1, 0}, extents{2, 2})}}) == contents{{0, 1, 1, 0}});
    CHECK(integers_of({"OneHot", {whole({1, -1}), scalar(3), whole({0, 1})}}) == contents{{0, 1, 0, 0, 0, 1}});
    CHECK(integers_of({"EyeLike", {input({2, 2}, onnx_type::int32)}}) == contents{{1, 0, 0, 1}});
    onnx_tensor const seven{.type = onnx_type::int64, .shape = {1}, .integers = extents{7}};
    CHECK(integers_of({"ConstantOfShape", {whole({2})}, {attr("value", seven)}}) == contents{{7, 7}});
    CHECK(integers_of({"Constant", {}, {attr("value_ints", extents{1, 2})}}) == contents{{1, 2}});
}

TEST_CASE("single precision decides about rounding as a runtime does", "[io]") {
    // 0.7f * 10 is 7 in single precision, and below it in double.
    auto const scale = static_cast<double>(0.7F);
    CHECK(reals_of({"Floor", {reals({scale})}}) == std::vector<double>{0});
    auto const product = reals_of({"Mul", {reals({scale}), reals({10})}});
    REQUIRE(product.has_value());
    CHECK(product->front() == 7);
    CHECK(known_of({"Resize", {input({1, 10}), none(), reals({1, scale})}}).front().shape == extents{1, 7});
}

TEST_CASE("numbers that do not fit stay unknown", "[io]") {
    CHECK(integers_of({"Add", {scalar(most), scalar(1)}}) == std::nullopt);
    CHECK(integers_of({"Sub", {scalar(least), scalar(1)}}) == std::nullopt);
    CHECK(integers_of({"Mul", {scalar(most), scalar(2)}}) == std::nullopt);
    CHECK(integers_of({"Div", {scalar(1), scalar(0)}}) == std::nullopt);
    CHECK(integers_of({"Div", {scalar(least), scalar(-1)}}) == std::nullopt);
    CHECK(integers_of({"Mod", {scalar(1), scalar(0)}}) == std::nullopt);
    CHECK(integers_of({"Mod", {scalar(least), scalar(-1)}}) == contents{{0}});
    CHECK(integers_of({"Pow", {scalar(10), scalar(30)}}) == std::nullopt);
    CHECK(integers_of({"Neg", {scalar(least)}}) == std::nullopt);
    CHECK(integers_of({"Abs", {scalar(least)}}) == std::nullopt);
    CHECK(integers_of({"ReduceProd", {whole({most, 2})}}) == std::nullopt);
    CHECK(integers_of({"CumSum", {whole({most, 1}), scalar(0)}}) == std::nullopt);
    CHECK(integers_of({"Cast", {reals({1e30})}, {attr("to", 7)}}) == std::nullopt);
    CHECK(integers_of({"Cast", {scalar(300)}, {attr("to", 2)}}) == std::nullopt);
    CHECK(integers_of(
              {"Add", {whole({2'000'000'000}, {}, onnx_type::int32), whole({2'000'000'000}, {}, onnx_type::int32)}}) ==
          std::nullopt);
}

TEST_CASE("contents of large tensors are not kept, yet constants they are", "[io]") {
    auto const large = known_of({"Expand", {whole({1}), whole({100, 100})}}).front();
    CHECK(large.shape == extents{100, 100});
    CHECK_FALSE(large.integers.has_value());
    CHECK(large.constant);
    CHECK(known_of({"Range", {scalar(0), scalar(4096), scalar(1)}}).front().integers.has_value());
    CHECK_FALSE(known_of({"Range", {scalar(0), scalar(4097), scalar(1)}}).front().integers.has_value());
}

TEST_CASE("what depends on constants and shapes only is constant, what runs draw or get is not", "[io]") {
    auto const constant = [](one_node const& call) { return known_of(call).front().constant; };
    auto const x = input({2, 3});
    CHECK(constant({"Shape", {x}}));
    CHECK(constant({"EyeLike", {x}}));
    CHECK(constant({"Relu", {reals({1})}}));
    CHECK_FALSE(constant({"Relu", {x}}));
    CHECK_FALSE(constant({"Add", {x, reals({1})}}));
    CHECK_FALSE(constant({"RandomNormal", {}, {attr("shape", extents{2})}}));
    CHECK_FALSE(constant({"RandomNormalLike", {reals({1})}}));
    CHECK_FALSE(constant({"Bernoulli", {reals({1})}}));
    CHECK_FALSE(constant({"my.domain:Magic", {reals({1})}}));
    auto const known = infer_shapes(model_of({"Shape", {x}}));
    CHECK_FALSE(known.at("x0").constant);
}

TEST_CASE("moving elements keeps their multiset and number", "[io]") {
    auto const shape_from = [] {
        auto shape = *rc::gen::container<extents>(rc::gen::inRange<std::int64_t>(1, 5));
        shape.resize(std::min<std::size_t>(shape.size(), 4));
        return shape;
    };
    CHECK(support::holds([&] {
        auto const shape = shape_from();
        extents numbers(static_cast<std::size_t>(
            std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
        std::iota(numbers.begin(), numbers.end(), 0);
        extents order(shape.size());
        std::iota(order.begin(), order.end(), 0);
        for (auto i = order.size(); i > 1; --i) std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
        auto inverse = order;
        for (std::size_t i = 0; i < order.size(); ++i)
            inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);

        auto const there = known_of({"Transpose", {whole(numbers, shape)}, {attr("perm", order)}}).front();
        auto sorted = there.integers.value();
        std::ranges::sort(sorted);
        RC_ASSERT(sorted == numbers);
        auto const back =
            known_of({"Transpose", {whole(*there.integers, *there.shape)}, {attr("perm", inverse)}}).front();
        RC_ASSERT(back.integers == numbers);
        RC_ASSERT(back.shape == shape);
        auto const flat = known_of({"Reshape", {whole(numbers, shape), whole({-1})}}).front();
        RC_ASSERT(flat.shape == extents{static_cast<std::int64_t>(numbers.size())});
        RC_ASSERT(flat.integers == numbers);
    }));
}

TEST_CASE("broadcasting is commutative, and expanding to its shape changes no sum", "[io]") {
    CHECK(support::holds([] {
        auto result = *rc::gen::container<extents>(3, rc::gen::inRange<std::int64_t>(1, 4));
        auto const part = [&] {
            extents shape(result.begin() + *rc::gen::inRange(0, 4), result.end());
            for (auto& extent : shape)
                if (*rc::gen::arbitrary<bool>()) extent = 1;
            auto const count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
            extents numbers(static_cast<std::size_t>(count));
            std::iota(numbers.begin(), numbers.end(), *rc::gen::inRange<std::int64_t>(-9, 9));
            return whole(numbers, shape);
        };
        auto const a = part(), b = part();
        auto const ab = known_of({"Add", {a, b}}).front(), ba = known_of({"Add", {b, a}}).front();
        RC_ASSERT(ab.shape == ba.shape);
        RC_ASSERT(ab.integers == ba.integers);
        auto const wide = known_of({"Expand", {a, whole(*ab.shape)}}).front();
        RC_ASSERT(known_of({"Add", {whole(*wide.integers, *wide.shape), b}}).front().integers == ab.integers);
    }));
}

TEST_CASE("slices take what Python's ranges take, but begin at the first element where one begins before it", "[io]") {
    CHECK(support::holds([] {
        auto const size = *rc::gen::inRange<std::int64_t>(0, 8);
        auto const start = *rc::gen::inRange<std::int64_t>(-10, 10), end = *rc::gen::inRange<std::int64_t>(-10, 10);
        auto const step = *rc::gen::element<std::int64_t>(-3, -2, -1, 1, 2, 3);
        extents numbers(static_cast<std::size_t>(size));
        std::iota(numbers.begin(), numbers.end(), 0);
        auto const place = [&](std::int64_t at) {
            if (at < 0) at += size;
            return step > 0 ? std::clamp<std::int64_t>(at, 0, size) : std::clamp<std::int64_t>(at, -1, size - 1);
        };
        extents expected;
        auto const first = size == 0 ? place(start) : std::max<std::int64_t>(0, place(start));
        for (auto i = first; step > 0 ? i < place(end) : i > place(end); i += step) expected.push_back(i);
        auto const sliced =
            known_of({"Slice", {whole(numbers), whole({start}), whole({end}), whole({0}), whole({step})}}).front();
        RC_ASSERT(sliced.integers == expected);
        RC_ASSERT(sliced.shape == extents{static_cast<std::int64_t>(expected.size())});
    }));
}
