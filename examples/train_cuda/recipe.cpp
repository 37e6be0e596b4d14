#include "recipe.hpp"

#include <algorithm>
#include <limits>

namespace train_cuda {

namespace {

constexpr repebble::bytes workspace_alignment = 256;

/// Whether every element is at the same place, from where they begin.
[[nodiscard]] auto lies_as(training::layout const& a, training::layout const& b) -> bool {
    for (std::size_t i = 0; i < a.tensor.rank(); ++i)
        if (a.tensor.shape[i] != 1 && a.strides[i] != b.strides[i]) return false;
    return true;
}

}  // namespace

void recipe::require_workspace() const {
    if (taken_ > workspace_.size || (taken_ > 0 && workspace_.data == nullptr))
        refuse("needs a workspace of " + std::to_string(taken_) + " bytes and got " + std::to_string(workspace_.size));
}

auto recipe::take(repebble::bytes size) -> std::byte* {
    auto const offset = (taken_ + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    taken_ = repebble::checked_add(offset, size);
    return workspace_.data == nullptr ? nullptr : workspace_.data + offset;
}

void recipe::set_to_zero(std::byte* at, repebble::bytes size) {
    add("cudaMemsetAsync",
        [this, at, size] { return cudaMemsetAsync(at, 0, static_cast<std::size_t>(size), stream()); });
}

auto recipe::read_bytes(training::placed_tensor const& x, training::layout const& wanted) -> std::byte* {
    auto* const from = first_of<std::byte>(present(x, "what it reads"));
    if (lies_as(x.layout, wanted)) return from;
    auto const element = static_cast<std::size_t>(networks::size_of(x.layout.tensor.type));
    auto* const to = take(x.layout.tensor.size());
    add("copy", [s = stream(), w = walk_of<2>(*this, {&wanted, &x.layout}), element, to, from] {
        return kernels::copy(s, w, element, to, from);
    });
    return to;
}

auto recipe::write_bytes(training::placed_tensor const& y, training::layout const& wanted) -> std::byte* {
    auto* const to = first_of<std::byte>(present(y, "what it writes"));
    if (lies_as(y.layout, wanted)) return to;
    auto const element = static_cast<std::size_t>(networks::size_of(y.layout.tensor.type));
    auto* const from = take(y.layout.tensor.size());
    add_last("copy", [s = stream(), w = walk_of<2>(*this, {&y.layout, &wanted}), element, to, from] {
        return kernels::copy(s, w, element, to, from);
    });
    return from;
}

auto recipe::write(training::placed_gradient const& g, training::layout const& wanted) -> kernels::target {
    if (!g.where.is_there()) return {};
    auto const to = target_of(g);
    if (lies_as(g.where.layout, wanted)) return to;
    auto const from = take_numbers(g.where.layout.tensor.volume(), to.as);
    add_last("copy", [s = stream(), w = walk_of<2>(*this, {&g.where.layout, &wanted}), to, from] {
        return kernels::copy(s, w, to, from);
    });
    return {from, false};
}

void recipe::refuse(std::string_view why) const {
    throw repebble::bad_graph((operation_ + ": on CUDA it ").append(why));
}

auto recipe::to_int(std::int64_t n) const -> int {
    if (n < 0 || n > std::numeric_limits<int>::max()) refuse("has an extent that does not fit: " + std::to_string(n));
    return static_cast<int>(n);
}

auto recipe::present(training::placed_tensor const& x, std::string_view what) const -> training::placed_tensor const& {
    if (!x.is_there()) refuse(std::string("misses ").append(what));
    return x;
}

auto classes_last(networks::tensor const& t) -> training::layout {
    training::layout l{t, std::vector<networks::extent>(t.rank(), 1), 0};
    auto stride = t.shape[1];
    for (auto i = t.rank(); i-- > 0;) {
        if (i == 1) continue;
        l.strides[i] = stride;
        stride *= t.shape[i];
    }
    return l;
}

template <int N>
auto walk_of(recipe const& r, std::array<training::layout const*, N> const& all) -> kernels::walk<N> {
    auto const& shape = all[0]->tensor.shape;
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < shape.size(); ++d)
        if (shape[d] != 1) order.push_back(d);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t d) { return all[0]->strides[d]; });

    kernels::walk<N> w;
    w.count = all[0]->tensor.volume();
    for (auto const d : order) {
        bool goes_on = w.rank > 0;  // the last dimension and this one are one to all of them
        for (int n = 0; n < N && goes_on; ++n)
            goes_on = w.stride[n][w.rank - 1] == all[static_cast<std::size_t>(n)]->strides[d] * shape[d];
        if (!goes_on) {
            if (w.rank == kernels::most_dimensions) r.refuse("has more dimensions than it can walk");
            w.extent[w.rank++] = 1;
        }
        w.extent[w.rank - 1] *= shape[d];
        for (int n = 0; n < N; ++n) w.stride[n][w.rank - 1] = all[static_cast<std::size_t>(n)]->strides[d];
    }
    return w;
}

template auto walk_of<2>(recipe const&, std::array<training::layout const*, 2> const&) -> kernels::walk<2>;
template auto walk_of<3>(recipe const&, std::array<training::layout const*, 3> const&) -> kernels::walk<3>;
template auto walk_of<5>(recipe const&, std::array<training::layout const*, 5> const&) -> kernels::walk<5>;

}  // namespace train_cuda
