// Covers networks/model.hpp, networks/roofline.hpp.
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/networks/model.hpp>
#include <repebble/networks/roofline.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace repebble::networks;

namespace {

auto image(extent batch, extent channels, extent resolution) -> tensor {
    return {{batch, channels, resolution, resolution}};
}
/// What a kind writes of one input.
template <class Kind>
auto made(Kind const& k, tensor const& in) -> std::vector<tensor> {
    return k.outputs(std::vector{in});
}
template <class Kind>
auto shape_of(Kind const& k, tensor const& in) -> std::string {
    return to_string(made(k, in).front());
}
/// A model whose input is followed by one operation.
template <class Kind>
auto model_of(Kind const& k, tensor const& in) -> model {
    model m("one");
    static_cast<void>(m.append("v", k, {m.add_input("x", in)}));
    return m;
}

auto by_resolution(extent pixels) -> model { return model_of(convolution{1, {7, 2, 3}}, {{1, 1, pixels, 1}}); }

}  // namespace

TEST_CASE("a convolution's extents follow from kernel, stride, padding and dilation", "[networks]") {
    CHECK(shape_of(convolution{64, {7, 2, 3}}, image(1, 3, 224)) == "1x64x112x112");
    CHECK(shape_of(convolution{8, {3}}, image(2, 3, 5)) == "2x8x3x3");
    CHECK(shape_of(convolution{8, {3, 1, 1}}, image(2, 3, 5)) == "2x8x5x5");
    CHECK(shape_of(convolution{8, {3, 1, 2, 2}}, image(1, 3, 5)) == "1x8x5x5");
    CHECK(shape_of(convolution{8, {1, 2}}, image(1, 3, 7)) == "1x8x4x4");
    CHECK(shape_of(convolution{8, {3}}, image(1, 3, 3)) == "1x8x1x1");
}

TEST_CASE("a transposed convolution undoes the extents of the convolution", "[networks]") {
    for (window const w : {window{2, 2}, window{3, 1, 1}, window{4, 2, 1}, window{3, 2, 1}, window{3, 1, 2, 2}}) {
        auto const small = made(convolution{5, w}, image(1, 3, 17));
        auto const large = made(convolution{3, w, false, true}, small.front()).front();
        // Up to what the stride has cut off at the end.
        CHECK(17 - large.shape[2] == (17 + 2 * w.padding - w.dilation * (w.kernel - 1) - 1) % w.stride);
    }
}

TEST_CASE("a pool that rounds up has a window more where one begins inside the image", "[networks]") {
    CHECK(shape_of(max_pool{{3, 2}}, image(1, 1, 112)) == "1x1x55x55");
    CHECK(shape_of(max_pool{{3, 2, 0, 1, true}}, image(1, 1, 112)) == "1x1x56x56");
    CHECK(shape_of(max_pool{{2, 2, 0, 1, true}}, image(1, 1, 7)) == "1x1x4x4");
    CHECK(shape_of(max_pool{{3, 1, 1, 1, true}}, image(1, 1, 28)) == "1x1x28x28");
    // The fourth window would begin in the padding on the right.
    CHECK(shape_of(max_pool{{2, 2, 1, 1, true}}, image(1, 1, 5)) == "1x1x3x3");
}

TEST_CASE("statistics, indices and masks are outputs of their own", "[networks]") {
    CHECK(made(batch_norm{}, image(2, 3, 5)) == std::vector<tensor>{image(2, 3, 5), {{3}}, {{3}}});
    CHECK(made(layer_norm{}, {{2, 4, 8}}) == std::vector<tensor>{{{2, 4, 8}}, {{2, 4, 1}}, {{2, 4, 1}}});
    CHECK(made(rms_norm{}, {{2, 4, 8}}) == std::vector<tensor>{{{2, 4, 8}}, {{2, 4, 1}}});
    CHECK(made(max_pool{{2, 2}}, image(1, 3, 4))[1] == tensor{{1, 3, 2, 2}, element::int64});
    CHECK(made(dropout{}, {{2, 3}})[1] == tensor{{2, 3}, element::boolean});
    CHECK(made(dropout{}, {{2, 3}})[1].size() == 6);
}

TEST_CASE("FLOPs are two per multiply-add of convolutions and products, and nothing else", "[networks]") {
    // 112 * 112 positions, 64 filters of 7 * 7 * 3.
    CHECK(model_of(convolution{64, {7, 2, 3}}, image(1, 3, 224)).operations()[0].flops == 2LL * 112 * 112 * 64 * 147);
    CHECK(model_of(convolution{64, {7, 2, 3}, true}, image(1, 3, 224)).operations()[0].flops ==
          2LL * 112 * 112 * 64 * 147);
    // Each of 8 * 8 pixels is spread over 2 * 2, from 128 channels to 64.
    CHECK(model_of(convolution{64, {2, 2}, true, true}, image(1, 128, 8)).operations()[0].flops ==
          2LL * 64 * 4 * 128 * 64);
    CHECK(model_of(linear{10}, {{3, 7}}).operations()[0].flops == 2 * 3 * 7 * 10);
    CHECK(model_of(batch_norm{}, image(1, 3, 8)).operations()[0].flops == 0);
    model m("products");
    auto const a = m.add_input("a", {{2, 3, 4}});
    static_cast<void>(m.append("ab", batched_product{}, {a, m.add_input("b", {{2, 4, 5}})}));
    CHECK(m.operations()[0].flops == 2 * 2 * 3 * 4 * 5);
    CHECK(to_string(m.operations()[0].outputs[0]) == "2x3x5");
}

TEST_CASE("parameters are those that the kinds say, and count as trained or not", "[networks]") {
    auto const conv = model_of(convolution{8, {3}, true}, image(1, 3, 5));
    CHECK(conv.parameters()[0] == parameter{"v.weight", {{8, 3, 3, 3}}, true});
    CHECK(conv.parameters()[1] == parameter{"v.bias", {{8}}, true});
    auto const up = model_of(convolution{8, {2, 2}, false, true}, image(1, 3, 5));
    CHECK(up.parameters()[0].tensor == tensor{{3, 8, 2, 2}});
    auto const norm = model_of(batch_norm{}, image(1, 3, 5));
    CHECK(norm.parameters().size() == 4);
    CHECK(norm.trained_size() == 2 * 3 * 4);
}

TEST_CASE("traffic is what is read and written, parameters included; of a table only the rows asked for",
          "[networks]") {
    CHECK(model_of(convolution{8, {3}, true}, image(1, 3, 5)).operations()[0].traffic == 4 * (75 + 72 + 216 + 8));
    CHECK(model_of(relu{}, {{10}}).operations()[0].traffic == 80);
    CHECK(model_of(embedding{1000, 16}, {{2, 3}, element::int64}).operations()[0].traffic == 2 * 6 * 16 * 4);
    CHECK(model_of(reshape{{5, 2}}, {{10}}).operations()[0].traffic == 0);
}

TEST_CASE("the roofline takes the longer of arithmetic and traffic, and no time for views", "[networks]") {
    roofline const times{1e12, 1e11};
    CHECK(times(operation{.name = "v", .flops = 5'000'000, .traffic = 1000}) == 5000);
    CHECK(times(operation{.name = "v", .flops = 5000, .traffic = 1'000'000}) == 10'000);
    CHECK(times(operation{.name = "v"}) == 1);
    CHECK(times(model_of(reshape{{5, 2}}, {{10}}).operations()[0]) == 0);
    CHECK(support::throws<bad_weight>([] { return roofline{0, 1}(operation{}); }, {"above 0"}));
}

TEST_CASE("an operation that cannot read what it is given is refused by its name", "[networks]") {
    auto const refuses = [](auto const& kind, tensor const& in, std::initializer_list<std::string_view> words) {
        return support::throws<bad_graph>([&] { return model_of(kind, in); }, words);
    };
    CHECK(refuses(convolution{8, {3}}, {{4, 4}}, {"v: ", "conv reads an image", "4x4"}));
    CHECK(refuses(convolution{8, {9}}, image(1, 3, 5), {"v: ", "window of 9", "5 pixels", "too small"}));
    CHECK(refuses(convolution{0, {3}}, image(1, 3, 5), {"v: ", "1x0x3x3"}));
    CHECK(refuses(linear{8}, {{2, 3, 4}}, {"linear reads rows"}));
    CHECK(refuses(reshape{{5}}, {{6}}, {"reshape", "shape 6"}));
    CHECK(refuses(split{4}, {{6}}, {"4 equal parts"}));
    CHECK(refuses(slice{3}, {{2, 3}}, {"slice"}));
    CHECK(refuses(transpose{0, 3}, {{2, 3}}, {"transpose"}));
    CHECK(refuses(crop{6, 6}, image(1, 3, 5), {"at least 6x6"}));
    CHECK(refuses(embedding{10, 4}, {{2, 3}}, {"indices"}));
    CHECK(refuses(causal_mask{}, {{2, 3}}, {"squares"}));
}

TEST_CASE("operations on several tensors want them to fit together", "[networks]") {
    model m("m");
    auto const a = m.add_input("a", {{2, 3, 4}});
    auto const row = m.add_input("row", {{4}});
    auto const other = m.add_input("other", {{2, 5, 4}});
    CHECK(to_string(m.tensor_of(m.append("sum", add{}, {a, row}))) == "2x3x4");
    CHECK(to_string(m.tensor_of(m.append("join", concat{}, {a, other}))) == "2x8x4");
    CHECK(to_string(m.tensor_of(m.append("pile", stack{}, {a, a}))) == "2x2x3x4");
    CHECK(support::throws<bad_graph>([&] { return m.append("x", add{}, {row, a}); }, {"x: "}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", add{}, {a, other}); }, {"2x5x4"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", multiply{}, {a, row}); }, {"2x3x4"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", stack{}, {a, other}); }, {"2x5x4"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", batched_product{}, {a, other}); }, {"partner"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", nll_loss{}, {a, row}); }, {"label"}));
    auto const floats = m.add_input("floats", {{2, 4}});
    CHECK(support::throws<bad_graph>([&] { return m.append("x", nll_loss{}, {a, floats}); }, {"int64 label"}));
}

TEST_CASE("what was refused leaves the model as it was", "[networks]") {
    model m("m");
    auto const rows = m.add_input("rows", {{2, 3}});
    auto const pixels = m.add_input("image", image(2, 3, 8));
    auto const before = m;
    CHECK_THROWS_AS(m.append("x", linear{4}, {pixels}), bad_graph);
    CHECK_THROWS_AS(m.append("x", linear{extent{1} << 60}, {rows}), bad_weight);
    CHECK_THROWS_AS(m.append("x", convolution{4, {2, 2, 100}, true, true}, {pixels}), bad_graph);
    CHECK_THROWS_AS(m.add_input("none", {{2, 0}}), bad_graph);
    CHECK_THROWS_AS(m.add_input("huge", {{extent{1} << 61, 4}}), bad_weight);
    CHECK(m == before);
}

TEST_CASE("an operation has as many operands as its kind says, and they are there", "[networks]") {
    model m("m");
    auto const x = m.add_input("x", {{2, 3}});
    auto const refuses = [&](auto const& kind, std::vector<operand> const& reads,
                             std::initializer_list<std::string_view> words) {
        return support::throws<bad_graph>([&] { return m.append("v", kind, reads); }, words);
    };
    CHECK(refuses(add{}, {x}, {"v: ", "add reads 2 operands, not 1"}));
    CHECK(refuses(relu{}, {}, {"relu reads 1 operands, not 0"}));
    CHECK(refuses(relu{}, {x, x, x}, {"not 3"}));
    CHECK(refuses(concat{}, {}, {"at least 1"}));
    CHECK(refuses(position_embedding{4, 8}, {x}, {"reads 0 operands"}));
    CHECK(refuses(relu{}, {{operand::source::input, 7}}, {"input 7"}));
    CHECK(refuses(relu{}, {{operand::source::operation, 0}}, {"output 0 of operation 0"}));
    auto const y = m.append("y", relu{}, {x});
    CHECK(refuses(relu{}, {output_of(y, 1)}, {"output 1 of operation 0"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("v", linear{3, false}, {x}, {900}); }, {"parameter 900"}));
}

TEST_CASE("attributes that cannot be are refused", "[networks]") {
    auto const refuses = [](auto const& kind, tensor const& in, std::initializer_list<std::string_view> words) {
        return support::throws<bad_graph>([&] { return model_of(kind, in); }, words);
    };
    auto const in = image(1, 3, 8);
    CHECK(refuses(max_pool{{2, 0}}, in, {"stride", "at least 1"}));
    CHECK(refuses(convolution{4, {0}}, in, {"kernel"}));
    CHECK(refuses(convolution{4, {3, 1, -1}}, in, {"padding"}));
    CHECK(refuses(convolution{4, {3, 1, 1, 0}}, in, {"dilation"}));
    CHECK(refuses(convolution{4, {3, 0}, true, true}, in, {"stride"}));
    CHECK(refuses(adaptive_average_pool{0}, in, {"1x3x0x0", "at least 1"}));
    CHECK(refuses(slice{-1}, {{2, 3}}, {"index -1"}));
    CHECK(refuses(dropout{1}, {{2, 3}}, {"dropout", "1.0"}));
    CHECK(refuses(linear{4}, {{2, 3}, element::int64}, {"linear"}));
    CHECK(refuses(linear{0}, {{2, 3}}, {"2x0"}));
}

TEST_CASE("parameters can be shared where their shapes are those that are needed", "[networks]") {
    model m("m");
    auto const x = m.add_input("x", {{2, 8}});
    auto const y = m.append("first", linear{8, false}, {x});
    auto const own = m.operations()[y.index].parameters;
    static_cast<void>(m.append("second", linear{8, false}, {y}, own));
    CHECK(m.parameters().size() == 1);
    CHECK(support::throws<bad_graph>([&] { return m.append("third", linear{9, false}, {y}, own); }, {"8x8", "9x8"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("third", linear{8}, {y}, own); }, {"has 1", "needs 2"}));
}

TEST_CASE("sizes beyond 64 bits are refused", "[networks]") {
    CHECK_THROWS_AS((tensor{{extent{1} << 40, extent{1} << 40}}.size()), bad_weight);
    CHECK(support::throws<bad_weight>([] { return model_of(relu{}, {{extent{1} << 60}}); }, {"v: ", "overflow"}));
    auto const most = std::numeric_limits<extent>::max();
    CHECK_THROWS_AS((window{3, 2, most / 2 + 1}.positions(5)), bad_weight);
    CHECK_THROWS_AS((window{most, 1, 0, 2}.positions(5)), bad_weight);
    CHECK_THROWS_AS(model_of(linear{most / 2 + 1}, {{1, 1}}), bad_weight);
    CHECK_THROWS_AS(by_resolution(most), bad_weight);
}
