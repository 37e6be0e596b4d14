#include <repebble/networks/model.hpp>

#include "support/catch.hpp"
#include "training/check_model.hpp"
#include "training/devices.hpp"

using namespace repebble::networks;
using support::check_model;
using support::model_of;

namespace {

/// The middle of an image: its elements do not lie together.
struct cropped_image {
    auto operator()(model& m, operand x) const -> operand {
        auto const& shape = m.tensor_of(x).shape;
        return m.append("crop" + std::to_string(x.index), crop{shape[2] - 2, shape[3] - 2}, {x});
    }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("gradients of convolutions", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("plain", convolution{4, {3, 1, 1}, true}, {{{2, 3, 5, 6}}}));
    check_model(device, model_of("no bias", convolution{17, {3, 2, 1}}, {{{1, 5, 6, 5}}}));
    check_model(device, model_of("strided", convolution{3, {1, 2}}, {{{2, 16, 4, 5}}}));
    check_model(device, model_of("dilated", convolution{2, {3, 1, 2, 2}, true}, {{{1, 3, 6, 6}}}));
    check_model(device, model_of("cropped", convolution{2, {3, 1, 1}, true}, {{{1, 3, 6, 7}}}, cropped_image{}));
    check_model(device, model_of("transposed", convolution{5, {2, 2}, true, true}, {{{2, 3, 3, 4}}}));
    check_model(device, model_of("transposed wide", convolution{3, {4, 2, 1, 1}, false, true}, {{{1, 4, 3, 3}}}));
}

TEMPLATE_LIST_TEST_CASE("gradients of batch norm", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("few channels", batch_norm{}, {{{3, 3, 4, 4}}}));
    check_model(device, model_of("16 channels", batch_norm{}, {{{2, 16, 3, 3}}}));
    check_model(device, model_of("cropped", batch_norm{1e-3, 0.2}, {{{2, 3, 5, 5}}}, cropped_image{}));
}

TEMPLATE_LIST_TEST_CASE("gradients of local response norm", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("five", local_response_norm{5, 2, 0.3, 0.75}, {{{2, 9, 2, 3}}}));
    check_model(device, model_of("three", local_response_norm{3, 1, 0.2, 0.5}, {{{1, 300, 1, 1}}}));
    check_model(device, model_of("cropped", local_response_norm{5, 2, 0.3, 0.75}, {{{1, 6, 3, 4}}}, cropped_image{}));
}

TEMPLATE_LIST_TEST_CASE("gradients of pools", "[training]", support::devices) {
    TestType device;
    support::model_check const kinks{.step = 1e-3};
    check_model(device, model_of("max", max_pool{{2, 2}}, {{{2, 3, 4, 6}}}), kinks);
    check_model(device, model_of("max overlapping", max_pool{{3, 1, 1}}, {{{1, 4, 4, 5}}}), kinks);
    check_model(device, model_of("max rounded up", max_pool{{3, 2, 1, 1, true}}, {{{1, 2, 6, 6}}}), kinks);
    check_model(device, model_of("max cropped", max_pool{{2, 1}}, {{{1, 3, 5, 5}}}, cropped_image{}), kinks);
    check_model(device, model_of("average", average_pool{{3, 2, 1}}, {{{2, 3, 5, 6}}}));
    check_model(device, model_of("average rounded up", average_pool{{2, 2, 0, 1, true}}, {{{1, 2, 5, 5}}}));
    check_model(device, model_of("adaptive", adaptive_average_pool{3}, {{{1, 2, 7, 5}}}));
    check_model(device, model_of("whole image", adaptive_average_pool{1}, {{{2, 17, 3, 4}}}));
}

TEMPLATE_LIST_TEST_CASE("gradients of bilinear interpolation", "[training]", support::devices) {
    TestType device;
    check_model(device, model_of("larger", resize{7, 9}, {{{2, 3, 3, 4}}}));
    check_model(device, model_of("smaller", resize{2, 3}, {{{1, 5, 4, 6}}}));
    check_model(device, model_of("from one pixel", resize{3, 3}, {{{1, 2, 1, 1}}}));
    check_model(device, model_of("cropped", resize{5, 4}, {{{1, 2, 5, 5}}}, cropped_image{}));
}
