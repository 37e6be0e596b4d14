#ifndef REPEBBLE_TRAIN_CUDA_RECIPE_HPP
#define REPEBBLE_TRAIN_CUDA_RECIPE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/layout.hpp>

#include "device_context.hpp"
#include "kernels.hpp"

namespace train_cuda {

namespace networks = repebble::networks;
namespace training = repebble::training;

/// How kernels call an element type.
[[nodiscard]] constexpr auto stored_as(networks::element type) -> kernels::stored {
    return type == networks::element::bfloat16 ? kernels::stored::bfloat16 : kernels::stored::float32;
}

/// A call made ready: launches, one after the other, and the workspace that they share. It is made in the same way
/// whether one wants to run it or only to know its workspace: what it does depends on shapes and on what is there, and
/// never on addresses.
class recipe final : public training::task {
  public:
    recipe(device_context& on, std::string operation, training::memory_block workspace)
        : on_(on), operation_(std::move(operation)), workspace_(workspace) {}

    void run() override {
        for (auto const& step : steps_) step();
    }

    [[nodiscard]] auto device() const noexcept -> device_context& { return on_; }
    [[nodiscard]] auto stream() const noexcept -> cudaStream_t { return on_.stream.get(); }
    [[nodiscard]] auto operation() const noexcept -> std::string const& { return operation_; }
    /// Bytes that were taken so far.
    [[nodiscard]] auto workspace_size() const noexcept -> repebble::bytes { return taken_; }
    /// Throws repebble::error where the workspace is too small for what was taken.
    void require_workspace() const;

    /// A part of the workspace, aligned for whatever may lie there; nullptr where there is no workspace yet.
    [[nodiscard]] auto take(repebble::bytes size) -> std::byte*;
    template <class T>
    [[nodiscard]] auto take_array(std::int64_t count) -> T* {
        return reinterpret_cast<T*>(take(repebble::checked_multiply(count, static_cast<std::int64_t>(sizeof(T)))));
    }

    /// The same for numbers.
    [[nodiscard]] auto take_numbers(std::int64_t count, kernels::stored as) -> kernels::numbers {
        auto const size = as == kernels::stored::bfloat16 ? 2 : 4;
        return {take(repebble::checked_multiply(count, std::int64_t{size})), as};
    }

    /// `step()` returns the status of `call`.
    template <class Step>
    void add(char const* call, Step step) {
        steps_.emplace_back([this, call, step = std::move(step)] { check(step(), call, operation_); });
    }
    /// Behind all steps, in the order in which they were asked for.
    template <class Step>
    void add_last(char const* call, Step step) {
        last_.emplace_back([this, call, step = std::move(step)] { check(step(), call, operation_); });
    }
    void set_to_zero(std::byte* at, repebble::bytes size);
    /// After everything was added.
    void finish() {
        for (auto& step : last_) steps_.push_back(std::move(step));
        last_.clear();
    }

    /// Where the elements of a tensor lie as they are wanted: where it is, or a copy in the workspace.
    [[nodiscard]] auto read_bytes(training::placed_tensor const& x, training::layout const& wanted) -> std::byte*;
    [[nodiscard]] auto read(training::placed_tensor const& x, training::layout const& wanted) -> kernels::numbers {
        return {read_bytes(x, wanted), stored_as(x.layout.tensor.type)};
    }
    [[nodiscard]] auto read_indices(training::placed_tensor const& x, training::layout const& wanted)
        -> std::int64_t const* {
        return reinterpret_cast<std::int64_t const*>(read_bytes(x, wanted));
    }
    /// Where an output is to be written as is wanted; what is not its place is copied there in the end.
    [[nodiscard]] auto write_bytes(training::placed_tensor const& y, training::layout const& wanted) -> std::byte*;
    [[nodiscard]] auto write(training::placed_tensor const& y, training::layout const& wanted) -> kernels::numbers {
        return {write_bytes(y, wanted), stored_as(y.layout.tensor.type)};
    }
    [[nodiscard]] auto write_indices(training::placed_tensor const& y, training::layout const& wanted)
        -> std::int64_t* {
        return reinterpret_cast<std::int64_t*>(write_bytes(y, wanted));
    }
    /// The same for a gradient; no target where it is not there.
    [[nodiscard]] auto write(training::placed_gradient const& g, training::layout const& wanted) -> kernels::target;

    /// Throws repebble::bad_graph, naming the operation.
    [[noreturn]] void refuse(std::string_view why) const;
    /// A dimension as the libraries want it.  Throws as `refuse` where it does not fit.
    [[nodiscard]] auto to_int(std::int64_t n) const -> int;
    /// Throws as `refuse` where it is not there.
    [[nodiscard]] auto present(training::placed_tensor const& x, std::string_view what) const
        -> training::placed_tensor const&;

  private:
    using steps = std::vector<std::function<void()>>;

    device_context& on_;
    std::string operation_;
    training::memory_block workspace_;
    repebble::bytes taken_ = 0;
    steps steps_{}, last_{};
};

/// Where the first element of a placed tensor is.
template <class T = float>
[[nodiscard]] auto first_of(training::placed_tensor const& x) -> T* {
    auto const size = repebble::networks::size_of(x.layout.tensor.type);
    return x.is_there() ? reinterpret_cast<T*>(x.storage + x.layout.offset * size) : nullptr;
}

/// The numbers of a placed tensor, from its first on.
[[nodiscard]] inline auto numbers_of(training::placed_tensor const& x) -> kernels::numbers {
    return {first_of<std::byte>(x), stored_as(x.layout.tensor.type)};
}
[[nodiscard]] inline auto target_of(training::placed_gradient const& g) -> kernels::target {
    return {numbers_of(g.where), g.add};
}

/// The second dimension together in memory, else row by row: channels_last for images.
[[nodiscard]] auto classes_last(networks::tensor const& t) -> training::layout;

/// How tensors of one shape are walked together, in the order in which the first one's elements lie.
template <int N>
[[nodiscard]] auto walk_of(recipe const& r, std::array<training::layout const*, N> const& all) -> kernels::walk<N>;

extern template auto walk_of<2>(recipe const&, std::array<training::layout const*, 2> const&) -> kernels::walk<2>;
extern template auto walk_of<3>(recipe const&, std::array<training::layout const*, 3> const&) -> kernels::walk<3>;
extern template auto walk_of<5>(recipe const&, std::array<training::layout const*, 5> const&) -> kernels::walk<5>;

}  // namespace train_cuda

#endif
