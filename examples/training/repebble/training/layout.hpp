#ifndef REPEBBLE_TRAINING_LAYOUT_HPP
#define REPEBBLE_TRAINING_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/tensor.hpp>

/// Running networks: where tensors lie, who computes them, and how the parameters learn.
namespace repebble::training {

using networks::extent;

/// Where the elements of a tensor lie in a storage: element (i, j, …) at position offset + i·strides[0] + j·strides[1]
/// … All in elements.
struct layout {
    networks::tensor tensor{};
    std::vector<extent> strides{};
    extent offset = 0;

    friend auto operator==(layout const&, layout const&) -> bool = default;
};

/// The last dimension together in memory.
[[nodiscard]] inline auto row_major(networks::tensor t) -> layout {
    layout l{std::move(t), {}, 0};
    l.strides.assign(l.tensor.rank(), 1);
    for (auto i = l.tensor.rank(); i-- > 1;) l.strides[i - 1] = l.strides[i] * l.tensor.shape[i];
    return l;
}

/// Images (batch, channels, height, width) with the channels of a pixel together in memory: what convolutions like
/// best.
[[nodiscard]] inline auto channels_last(networks::tensor t) -> layout {
    auto const c = t.shape[1];
    auto const h = t.shape[2];
    auto const w = t.shape[3];
    return {std::move(t), {h * w * c, 1, w * c, c}, 0};
}

/// Whether it is row_major, wherever it begins; strides of single elements do not count.
[[nodiscard]] inline auto is_row_major(layout const& l) -> bool {
    extent expected = 1;
    for (auto i = l.tensor.rank(); i-- > 0;) {
        if (l.tensor.shape[i] != 1 && l.strides[i] != expected) return false;
        expected *= l.tensor.shape[i];
    }
    return true;
}

/// Whether its elements fill a block of memory, in whatever order.
[[nodiscard]] inline auto is_dense(layout const& l) -> bool {
    extent last = 0;
    for (std::size_t i = 0; i < l.tensor.rank(); ++i) last += (l.tensor.shape[i] - 1) * l.strides[i];
    return last + 1 == l.tensor.volume();
}

/// Whether it is channels_last, wherever it begins.
[[nodiscard]] inline auto is_channels_last(layout const& l) -> bool {
    return l.tensor.rank() == 4 && l.strides == channels_last(l.tensor).strides;
}

/// Whether the channels of a pixel lie together, and the pixels of a row behind one another: so they do in an image
/// with channels last, and in a part that is cut out of one.
[[nodiscard]] inline auto has_channels_last(layout const& l) -> bool {
    return l.tensor.rank() == 4 && l.strides[1] == 1 && l.strides[3] >= l.tensor.shape[1] &&
           l.strides[2] >= l.strides[3] * l.tensor.shape[3];
}

namespace detail {

template <class... Kinds>
struct any_of_kinds {
    template <class Kind>
    static constexpr bool contains = (std::is_same_v<Kind, Kinds> || ...);
};
using image_kinds =
    any_of_kinds<networks::convolution, networks::batch_norm, networks::local_response_norm, networks::max_pool,
                 networks::average_pool, networks::adaptive_average_pool, networks::resize>;
/// Their first output lies as their first input does, if that is dense.
using shape_keeping_kinds =
    any_of_kinds<networks::relu, networks::gelu, networks::sigmoid, networks::hyperbolic_tangent, networks::silu,
                 networks::dropout, networks::add, networks::multiply, networks::scale, networks::causal_mask,
                 networks::softmax, networks::log_softmax, networks::concat>;

/// Strides of the same elements in another shape: neighbouring dimensions of the one that lie together, in memory too,
/// are cut into those of the other.  Throws bad_graph where one of the others reaches over such a group.
[[nodiscard]] inline auto reshaped_strides(layout const& in, networks::tensor const& out) -> std::vector<extent> {
    std::vector<extent> strides(out.rank(), 1);
    auto next = out.rank();  // dimensions of `out` from here on have their strides
    extent innermost = in.strides.empty() ? 1 : in.strides.back();
    extent together = 1;
    for (auto i = in.tensor.rank(); i-- > 0;) {
        together *= in.tensor.shape[i];
        if (i > 0 && (in.tensor.shape[i - 1] == 1 || in.strides[i - 1] == together * innermost)) continue;
        extent cut = 1;
        while (next > 0 && (cut < together || out.shape[next - 1] == 1)) {
            --next;
            strides[next] = cut * innermost;
            cut *= out.shape[next];
        }
        if (cut != together) throw bad_graph("reshapes a view whose elements do not lie together");
        together = 1;
        if (i > 0) innermost = in.strides[i - 1];
    }
    return strides;
}

[[nodiscard]] inline auto view_of(layout in, networks::tensor out, networks::reshape const&, std::uint32_t) -> layout {
    // Whatever order dense elements lie in, one row per image is a row-major matrix.
    bool const rows = out.rank() == 2 && out.shape[0] == in.tensor.shape[0] && is_dense(in);
    auto strides = rows ? row_major(out).strides : reshaped_strides(in, out);
    return {std::move(out), std::move(strides), in.offset};
}
[[nodiscard]] inline auto view_of(layout in, networks::tensor out, networks::transpose const& k, std::uint32_t)
    -> layout {
    std::swap(in.strides[k.first], in.strides[k.second]);
    in.tensor = std::move(out);
    return in;
}
[[nodiscard]] inline auto view_of(layout in, networks::tensor out, networks::split const&, std::uint32_t part)
    -> layout {
    in.offset += static_cast<extent>(part) * out.shape.back() * in.strides.back();
    in.tensor = std::move(out);
    return in;
}
[[nodiscard]] inline auto view_of(layout in, networks::tensor out, networks::slice const& k, std::uint32_t) -> layout {
    in.offset += k.index * in.strides[1];
    in.strides.erase(in.strides.begin() + 1);
    in.tensor = std::move(out);
    return in;
}
[[nodiscard]] inline auto view_of(layout in, networks::tensor out, networks::crop const&, std::uint32_t) -> layout {
    in.offset += (in.tensor.shape[2] - out.shape[2]) / 2 * in.strides[2];
    in.offset += (in.tensor.shape[3] - out.shape[3]) / 2 * in.strides[3];
    in.tensor = std::move(out);
    return in;
}

}  // namespace detail

/// Where everything of a model lies.
struct model_layouts {
    std::vector<layout> inputs{};                ///< of every input of the model
    std::vector<std::vector<layout>> outputs{};  ///< of every operation: of every output

    [[nodiscard]] auto of(networks::operand const& x) const -> layout const& {
        return x.from == networks::operand::source::input ? inputs.at(x.index) : outputs.at(x.index).at(x.output);
    }
    friend auto operator==(model_layouts const&, model_layouts const&) -> bool = default;
};

/// Images with their channels together, all else row by row; a view lies where its owner lies.  Throws bad_graph,
/// naming the operation, where a view cannot be one.
[[nodiscard]] inline auto layouts_of(networks::model const& m) -> model_layouts {
    model_layouts all;
    for (auto const& input : m.inputs()) {
        bool const image = input.tensor.rank() == 4 && networks::is_floating(input.tensor.type);
        all.inputs.push_back(image ? channels_last(input.tensor) : row_major(input.tensor));
    }
    for (auto const& v : m.operations()) {
        auto& own = all.outputs.emplace_back();
        std::visit(
            [&]<class Kind>(Kind const& kind) {
                for (std::uint32_t j = 0; j < v.outputs.size(); ++j) {
                    auto const& t = v.outputs[j];
                    bool const image = detail::image_kinds::contains<Kind> && t.rank() == 4;
                    if constexpr (requires { Kind::is_view; }) {
                        try {
                            own.push_back(detail::view_of(all.of(v.inputs.front()), t, kind, j));
                        } catch (bad_graph const& e) {
                            throw bad_graph(v.name + ": " + e.what());
                        }
                    } else if (image) {
                        own.push_back(channels_last(t));
                    } else if (detail::shape_keeping_kinds::contains<Kind> && t.rank() == 4 &&
                               has_channels_last(all.of(v.inputs.front()))) {
                        own.push_back(channels_last(t));
                    } else {
                        own.push_back(row_major(t));
                    }
                }
            },
            v.what);
    }
    return all;
}

}  // namespace repebble::training

#endif
