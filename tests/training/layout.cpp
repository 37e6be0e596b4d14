// Covers training/layout.hpp.
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/training/layout.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace repebble::networks;
using training::layouts_of;

namespace {

using strides = std::vector<extent>;

}  // namespace

TEST_CASE("images have their channels together, and so has what is cut out of them", "[training]") {
    model m("images");
    auto const images = m.add_input("images", {{2, 3, 8, 10}});
    auto x = m.append("conv", convolution{5, {.kernel = 3, .padding = 1}}, {images});
    auto const cut = m.append("crop", crop{4, 6}, {x});
    auto const both = m.append("concat", concat{}, {cut, cut});
    auto const all = layouts_of(m);
    CHECK(all.of(images).strides == strides{240, 1, 30, 3});
    CHECK(all.of(x).strides == strides{400, 1, 50, 5});
    CHECK(all.of(cut).strides == strides{400, 1, 50, 5});
    CHECK(all.of(cut).offset == 2 * 50 + 2 * 5);
    CHECK(all.of(both).strides == strides{240, 1, 60, 10});
}

TEST_CASE("views of views have strides: the heads of attention", "[training]") {
    model m("heads");
    auto const tokens = m.add_input("tokens", {{2, 3}, element::int64});
    auto const x = m.append("embedding", embedding{7, 24}, {tokens});
    auto const parts = m.append("parts", split{3}, {x});
    auto const heads = m.append("heads", reshape{{2, 3, 2, 4}}, {output_of(parts, 1)});
    auto const by_head = m.append("by_head", transpose{1, 2}, {heads});
    auto const copied = m.append("copy", contiguous{}, {by_head});
    auto const all = layouts_of(m);
    CHECK(all.of(output_of(parts, 2)).offset == 16);
    CHECK(all.of(heads).strides == strides{72, 24, 4, 1});
    CHECK(all.of(heads).offset == 8);
    CHECK(all.of(by_head).strides == strides{72, 4, 24, 1});
    CHECK(all.of(copied).strides == strides{24, 12, 4, 1});
}

TEST_CASE("a view of elements that do not lie together is refused by its name", "[training]") {
    model m("apart");
    auto const tokens = m.add_input("tokens", {{2, 3}, element::int64});
    auto const x = m.append("embedding", embedding{7, 4}, {tokens});
    auto const turned = m.append("turned", transpose{1, 2}, {x});
    static_cast<void>(m.append("flat", reshape{{2, 2, 6}}, {turned}));
    CHECK(support::throws<bad_graph>([&] { return layouts_of(m); }, {"flat", "do not lie together"}));
}

TEST_CASE("every network by name has layouts", "[training]") {
    for (auto const* name :
         {"resnet18", "vgg19", "densenet161", "googlenet", "unet", "pspnet", "lstm", "lstm_frames", "gpt2"}) {
        auto const m = by_name(name, {.batch = 1});
        auto const all = layouts_of(m);
        for (std::size_t v = 0; v < m.operations().size(); ++v)
            for (auto const& l : all.outputs[v]) CHECK((m.operations()[v].is_view() || training::is_dense(l)));
    }
}
