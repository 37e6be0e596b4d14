#ifndef REPEBBLE_NETWORKS_IMAGE_OPERATIONS_HPP
#define REPEBBLE_NETWORKS_IMAGE_OPERATIONS_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/networks/kind.hpp>
#include <repebble/networks/tensor.hpp>

/// Operations on images: tensors of batch, channels, height, width.
namespace repebble::networks {

/// A square window that moves over an image: the same along both dimensions.
struct window {
    extent kernel = 1;
    extent stride = 1;
    extent padding = 0;
    extent dilation = 1;
    bool round_up = false;  ///< the last window may reach beyond the padding ("ceil mode")

    /// Pixels that it spans.  Throws bad_graph where it is no window, bad_weight where it is wider than 64 bits tell.
    [[nodiscard]] auto span() const -> extent {
        if (kernel < 1 || stride < 1 || dilation < 1 || padding < 0)
            throw bad_graph("a window has kernel, stride and dilation of at least 1 and no negative padding, not " +
                            attributes().dump());
        return checked_add(checked_multiply(kernel - 1, dilation, "pixels"), extent{1}, "pixels");
    }
    /// How many positions it has along an extent.  Throws as `span` does, and bad_graph where it does not fit once.
    [[nodiscard]] auto positions(extent n) const -> extent {
        extent const padded = checked_add(n, checked_multiply(padding, extent{2}, "pixels"), "pixels");
        extent const room = padded - span();
        if (room < 0)
            throw bad_graph("a window of " + std::to_string(kernel) + " with dilation " + std::to_string(dilation) +
                            " does not fit in " + std::to_string(n) + " pixels: the resolution is too small");
        extent count = room / stride + 1;
        // Rounded up there is one more, unless it would begin beyond the image.
        if (round_up && room % stride != 0 && count * stride < n + padding) ++count;
        return count;
    }
    /// The extent of which a convolution has n positions, as far as the stride lets it be told.  Throws as `span` does.
    [[nodiscard]] auto undone(extent n) const -> extent {
        return checked_add(checked_multiply(n - 1, stride, "pixels"), span() - 2 * padding, "pixels");
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        nlohmann::json all{{"kernel", kernel}, {"stride", stride}, {"padding", padding}};
        if (dilation != 1) all["dilation"] = dilation;
        if (round_up) all["round_up"] = true;
        return all;
    }
    friend auto operator==(window const&, window const&) -> bool = default;
};

namespace detail {
inline void require_image(std::string_view operation, tensor const& in) {
    require_input(in.rank() == 4, operation, "an image (batch, channels, height, width)", in);
}
/// The same image with other extents in space.
[[nodiscard]] inline auto resized(tensor const& image, extent height, extent width) -> tensor {
    return {{image.shape[0], image.shape[1], height, width}, image.type};
}
[[nodiscard]] inline auto pooled(tensor const& image, window const& w) -> tensor {
    return resized(image, w.positions(image.shape[2]), w.positions(image.shape[3]));
}
}  // namespace detail

/// A 2-d convolution; `transposed`, the gradient of one: the window then moves over the output.
struct convolution {
    static constexpr std::string_view name = "conv";
    static constexpr gradient_needs needs{.inputs = true};
    extent channels = 1;
    networks::window window{};
    bool bias = false;
    bool transposed = false;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        auto const along = [this](extent n) { return transposed ? window.undone(n) : window.positions(n); };
        return {{{in[0].shape[0], channels, along(in[0].shape[2]), along(in[0].shape[3])}, in[0].type}};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        auto const from = in[0].shape[1];
        std::vector<extent> filter{channels, from, window.kernel, window.kernel};
        if (transposed) std::swap(filter[0], filter[1]);
        std::vector<parameter> all{{"weight", {std::move(filter)}}};
        if (bias) all.push_back({"bias", {{channels}}});
        return all;
    }
    /// Two for each weight of the filter at each of its positions. A bias is not counted.
    [[nodiscard]] auto flops(std::span<tensor const> in, std::span<tensor const> out) const -> std::int64_t {
        auto const& spread = transposed ? in[0] : out[0];  // over its positions the filter moves
        auto const other_channels = transposed ? channels : in[0].shape[1];
        auto const weights =
            checked_multiply(checked_multiply(window.kernel, window.kernel), other_channels, "weights");
        return checked_multiply(spread.volume(), checked_multiply(weights, extent{2}, "operations"), "operations");
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        auto all = window.attributes();
        if (transposed) all["transposed"] = true;
        return all;
    }
    friend auto operator==(convolution const&, convolution const&) -> bool = default;
};

/// Its second output are the positions of the greatest elements, as int64; the gradient reads them.
struct max_pool {
    static constexpr std::string_view name = "pool";
    static constexpr gradient_needs needs{.output = true};
    networks::window window{};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        auto const out = detail::pooled(in[0], window);
        return {out, {out.shape, element::int64}};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        auto all = window.attributes();
        all["what"] = "max";
        return all;
    }
    friend auto operator==(max_pool const&, max_pool const&) -> bool = default;
};

struct average_pool {
    static constexpr std::string_view name = "pool";
    networks::window window{};

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        return {detail::pooled(in[0], window)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        auto all = window.attributes();
        all["what"] = "average";
        return all;
    }
    friend auto operator==(average_pool const&, average_pool const&) -> bool = default;
};

/// Averages over a grid of cells of (nearly) equal size; over the whole image where there is one cell.
struct adaptive_average_pool {
    static constexpr std::string_view name = "pool";
    extent cells = 1;  ///< along each dimension

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        return {detail::resized(in[0], cells, cells)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"what", "adaptive_average"}, {"cells", cells}}; }
    friend auto operator==(adaptive_average_pool const&, adaptive_average_pool const&) -> bool = default;
};

/// Bilinear interpolation.
struct resize {
    static constexpr std::string_view name = "resize";
    extent height = 1;
    extent width = 1;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        return {detail::resized(in[0], height, width)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"height", height}, {"width", width}}; }
    friend auto operator==(resize const&, resize const&) -> bool = default;
};

/// The middle of an image, as a view.
struct crop {
    static constexpr std::string_view name = "view";
    static constexpr bool is_view = true;
    extent height = 1;
    extent width = 1;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image("crop", in[0]);
        require_input(height <= in[0].shape[2] && width <= in[0].shape[3], "crop",
                      "an image of at least " + std::to_string(height) + "x" + std::to_string(width), in[0]);
        return {detail::resized(in[0], height, width)};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        return {{"what", "crop"}, {"height", height}, {"width", width}};
    }
    friend auto operator==(crop const&, crop const&) -> bool = default;
};

/// Over the batch, per channel. Its further outputs are the mean and the inverse deviation of the batch, which the
/// gradient reads; running statistics are parameters that are not trained.
struct batch_norm {
    static constexpr std::string_view name = "batch_norm";
    static constexpr gradient_needs needs{.inputs = true};
    double epsilon = 1e-5;
    double momentum = 0.1;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        tensor const statistics{{in[0].shape[1]}};
        return {in[0], statistics, statistics};
    }
    [[nodiscard]] auto parameters(std::span<tensor const> in) const -> std::vector<parameter> {
        tensor const per_channel{{in[0].shape[1]}};
        return {{"weight", per_channel},
                {"bias", per_channel},
                {"running_mean", per_channel, false},
                {"running_var", per_channel, false}};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json { return {{"epsilon", epsilon}, {"momentum", momentum}}; }
    friend auto operator==(batch_norm const&, batch_norm const&) -> bool = default;
};

/// Local response normalisation across channels (Krizhevsky et al. 2012, section 3.3).
struct local_response_norm {
    static constexpr std::string_view name = "local_response_norm";
    static constexpr gradient_needs needs{.inputs = true, .output = true};
    extent neighbours = 5;
    double k = 2;
    double alpha = 1e-4;
    double beta = 0.75;

    [[nodiscard]] auto outputs(std::span<tensor const> in) const -> std::vector<tensor> {
        detail::require_image(name, in[0]);
        return {in[0]};
    }
    [[nodiscard]] auto attributes() const -> nlohmann::json {
        return {{"neighbours", neighbours}, {"k", k}, {"alpha", alpha}, {"beta", beta}};
    }
    friend auto operator==(local_response_norm const&, local_response_norm const&) -> bool = default;
};

}  // namespace repebble::networks

#endif
