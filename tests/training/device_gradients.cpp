#include <repebble/networks/model.hpp>

#include "support/catch.hpp"
#include "training/check_model.hpp"
#include "training/devices.hpp"

using namespace repebble::networks;
using support::check_model;
using support::model_of;

namespace {

struct transposed_tensor {
    auto operator()(model& m, operand x) const -> operand {
        auto const last = m.tensor_of(x).rank() - 1;
        return m.append("transpose" + std::to_string(x.index), transpose{last - 1, last}, {x});
    }
};

/// An operation before that makes what may be written over.
struct scaled_tensor {
    auto operator()(model& m, operand x) const -> operand {
        return m.append("scaled" + std::to_string(x.index), scale{1.5}, {x});
    }
};

/// One of two halves of each row.
struct second_half {
    auto operator()(model& m, operand x) const -> operand {
        return output_of(m.append("split" + std::to_string(x.index), split{2}, {x}), 1);
    }
};

constexpr support::model_check kinks{.step = 1e-3};

template <class Device, class Kind>
void check_elementwise(Device& device, char const* name, Kind kind, support::model_check how = {}) {
    check_model(device, model_of(name, kind, {{{3, 5, 5}}}), how);
    check_model(device, model_of(name, kind, {{{3, 5, 5}}}, scaled_tensor{}), how);
    check_model(device, model_of(name, kind, {{{2, 3, 4, 4}}}, scaled_tensor{}), how);
    check_model(device, model_of(name, kind, {{{3, 5, 5}}}, transposed_tensor{}), how);
    check_model(device, model_of(name, kind, {{{2, 4, 8}}}, second_half{}), how);
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("gradients of functions of each element", "[training]", support::devices) {
    TestType device;
    check_elementwise(device, "relu", relu{}, kinks);
    check_elementwise(device, "gelu", gelu{});
    check_elementwise(device, "sigmoid", sigmoid{});
    check_elementwise(device, "tanh", hyperbolic_tangent{});
    check_elementwise(device, "silu", silu{});
    check_elementwise(device, "scale", scale{-0.7});
    check_elementwise(device, "dropout", dropout{0.4});
    check_elementwise(device, "dropout of nothing", dropout{0});
}

TEMPLATE_LIST_TEST_CASE("gradients of softmax", "[training]", support::devices) {
    TestType device;
    check_elementwise(device, "softmax", softmax{});
    check_elementwise(device, "log_softmax", log_softmax{});
    check_model(device, model_of("rows", softmax{}, {{{3, 37}}}));
    check_model(device, model_of("classes", log_softmax{}, {{{4, 19}}}));
}

TEMPLATE_LIST_TEST_CASE("gradients of sums and products of tensors", "[training]", support::devices) {
    TestType device;
    for (auto const& shape : {std::vector<extent>{3, 4, 6}, {2, 3, 4, 2}}) {
        check_model(device, model_of("add", add{}, {{shape}, {shape}}));
        check_model(device, model_of("add in place", add{}, {{shape}, {shape}}, scaled_tensor{}));
        check_model(device, model_of("add views", add{}, {{shape}, {shape}}, second_half{}));
        check_model(device, model_of("multiply", multiply{}, {{shape}, {shape}}));
        check_model(device, model_of("multiply in place", multiply{}, {{shape}, {shape}}, scaled_tensor{}));
        check_model(device, model_of("multiply views", multiply{}, {{shape}, {shape}}, transposed_tensor{}));
    }
    for (bool const product : {false, true}) {
        model m("over the second operand");
        auto const x = m.add_input("x", {{3, 4}});
        auto const y = m.append("scale", scale{2}, {m.add_input("y", {{3, 4}})});
        if (product)
            m.append("multiply", multiply{}, {x, y});
        else
            m.append("add", add{}, {x, y});
        check_model(device, m);
    }
    check_model(device, model_of("add rows", add{}, {{{3, 4, 6}}, {{4, 6}}}, scaled_tensor{}));
    check_model(device, model_of("add one row", add{}, {{{3, 4, 6}}, {{6}}}));
    check_model(device, model_of("add to images", add{}, {{{2, 3, 4, 5}}, {{4, 5}}}, scaled_tensor{}));
}

TEMPLATE_LIST_TEST_CASE("gradients of an operation that reads one tensor twice", "[training]", support::devices) {
    TestType device;
    model m("square");
    auto x = m.add_input("x", {{3, 8}});
    x = m.append("scaled", scale{2}, {x});
    x = m.append("square", multiply{}, {x, x});
    x = m.append("double", add{}, {x, x});
    auto const parts = m.append("split", split{2}, {x});
    x = m.append("product", multiply{}, {parts, output_of(parts, 1)});
    m.append("more", concat{}, {x, parts, x});
    check_model(device, m);

    model matrices("squares of matrices");
    auto y = matrices.add_input("y", {{2, 3, 3}});
    y = matrices.append("product", batched_product{}, {y, y});
    auto const turned = matrices.append("transpose", transpose{1, 2}, {y});
    matrices.append("other", batched_product{}, {turned, y});
    check_model(device, matrices);
}

TEMPLATE_LIST_TEST_CASE("gradients of matrix products", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("linear", linear{5, true}, {{{3, 7}}}));
    check_model(device, model_of("linear without bias", linear{17, false}, {{{2, 19}}}));
    check_model(device, model_of("linear of one row", linear{3, true}, {{{1, 4}}}));
    check_model(device, model_of("linear to one feature", linear{1, true}, {{{4, 3}}}));
    check_model(device, model_of("linear of one feature", linear{4, true}, {{{3, 1}}}));
    check_model(device, model_of("linear of columns", linear{4, true}, {{{5, 3}}}, transposed_tensor{}));
    check_model(device, model_of("linear of halves", linear{4, true}, {{{5, 6}}}, second_half{}));
    check_model(device, model_of("products", batched_product{}, {{{2, 3, 4}}, {{2, 4, 5}}}));
    check_model(device,
                model_of("products of columns", batched_product{}, {{{2, 4, 3}}, {{2, 5, 4}}}, transposed_tensor{}));
    // Neither rows nor columns lie together.
    check_model(device, model_of("products along a batch", batched_product{}, {{{4, 3, 2}}, {{5, 4, 2}}},
                                 [](model& m, operand x) {
                                     return m.append("turn" + std::to_string(x.index), transpose{0, 2}, {x});
                                 }));
    check_model(device, model_of("products of halves", batched_product{}, {{{2, 3, 8}}, {{2, 4, 10}}}, second_half{}));

    model sliced("slices");
    auto const x = sliced.add_input("x", {{3, 4, 5}});
    auto const a = sliced.append("slice", slice{2}, {x});
    auto const b = sliced.append("next slice", slice{3}, {x});
    auto const c = sliced.append("linear", linear{6}, {a});
    auto const d = sliced.append("linear again", linear{6}, {b}, {0, 1});
    sliced.append("stack", stack{}, {c, d});
    check_model(device, sliced);
}

TEMPLATE_LIST_TEST_CASE("gradients of layer norm", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("rows", layer_norm{}, {{{3, 8}}}));
    check_model(device, model_of("sequences", layer_norm{1e-3}, {{{2, 3, 19}}}));
    check_model(device, model_of("one row", layer_norm{}, {{{7}}}));
    check_model(device, model_of("columns", layer_norm{}, {{{2, 5, 3}}}, transposed_tensor{}));
}

TEMPLATE_LIST_TEST_CASE("gradients of norms by the mean square, and of rotations", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("rows", rms_norm{}, {{{3, 8}}}));
    check_model(device, model_of("sequences", rms_norm{1e-3}, {{{2, 3, 19}}}, scaled_tensor{}));
    check_model(device, model_of("columns", rms_norm{}, {{{2, 5, 3}}}, transposed_tensor{}));
    check_model(device, model_of("rotations", rotary_embedding{}, {{{2, 3, 5, 6}}}, scaled_tensor{}));
    check_model(device, model_of("rotations of columns", rotary_embedding{100}, {{{4, 3}}}, transposed_tensor{}));
}

TEMPLATE_LIST_TEST_CASE("gradients of embeddings", "[training]", support::devices) {
    TestType device;
    model m("embeddings");
    auto const tokens = m.add_input("tokens", {{2, 5}, element::int64});
    auto x = m.append("tokens", embedding{4, 3}, {tokens});
    auto const positions = m.append("positions", position_embedding{5, 3}, {});
    x = m.append("add", add{}, {x, positions});
    x = m.append("rows", reshape{{10, 3}}, {x});
    m.append("classifier", linear{4, false}, {x}, {0});  // the table again
    check_model(device, m);
}

TEMPLATE_LIST_TEST_CASE("gradients of masked scores", "[training]", support::devices) {
    TestType device;
    for (bool const scaled : {false, true}) {
        model m("attention");
        auto x = m.add_input("scores", {{6, 4, 4}});
        if (scaled) x = m.append("scale", scale{0.5}, {x});
        x = m.append("by head", reshape{{2, 3, 4, 4}}, {x});
        x = m.append("mask", causal_mask{}, {x});
        m.append("softmax", softmax{}, {x});
        check_model(device, m);
    }
}

TEMPLATE_LIST_TEST_CASE("gradients of copies", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("contiguous", contiguous{}, {{{2, 3, 4}}}, transposed_tensor{}));
    check_model(device, model_of("contiguous heads", contiguous{}, {{{2, 3, 4, 6}}}, second_half{}));
    check_model(device, model_of("concat", concat{}, {{{2, 3, 2, 2}}, {{2, 1, 2, 2}}, {{2, 4, 2, 2}}}));
    check_model(device, model_of("concat rows", concat{}, {{{2, 3}}, {{2, 4}}}));
    check_model(device, model_of("concat columns", concat{}, {{{2, 3, 4}}, {{2, 3, 5}}}, transposed_tensor{}),
                {.differentiable = true});
    check_model(device, model_of("stack", stack{}, {{{3, 4}}, {{3, 4}}, {{3, 4}}}));
    check_model(device, model_of("stack vectors", stack{}, {{{3}}, {{3}}}));
}

TEMPLATE_LIST_TEST_CASE("gradients of losses", "[training]", support::devices) {
    TestType device;
    for (auto const& shape : {std::vector<extent>{4, 5}, {2, 5, 3, 2}, {2, 5, 3}}) {
        model m("loss");
        auto const x = m.add_input("scores", {shape});
        auto labels = shape;
        labels.erase(labels.begin() + 1);
        auto const expected = m.add_input("labels", {labels, element::int64});
        auto const y = m.append("log_softmax", log_softmax{}, {x});
        auto const loss = m.append("loss", nll_loss{}, {y, expected});
        check_model(device, m);
        auto const again = m.append("again", nll_loss{}, {y, expected});
        auto const weighted = m.append("weighted", scale{0.3}, {again});
        m.append("sum", add{}, {loss, weighted});
        check_model(device, m);
    }
}
