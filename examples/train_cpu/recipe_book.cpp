#include "recipe_book.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include <repebble/networks/kind.hpp>

#include "activation.hpp"
#include "convolution.hpp"
#include "copies.hpp"
#include "elementwise.hpp"
#include "embedding.hpp"
#include "local_response_norm.hpp"
#include "loss.hpp"
#include "matrix_product.hpp"
#include "normalization.hpp"
#include "pooling.hpp"
#include "resampling.hpp"

namespace train_cpu {

namespace {

using numbers = std::vector<std::int64_t>;

void append(numbers& key, placed_tensor const& t) {
    key.push_back(t.is_there() ? 1 : 0);
    key.push_back(static_cast<std::int64_t>(t.layout.tensor.type));
    key.push_back(static_cast<std::int64_t>(t.layout.tensor.rank()));
    key.insert(key.end(), t.layout.tensor.shape.begin(), t.layout.tensor.shape.end());
    key.insert(key.end(), t.layout.strides.begin(), t.layout.strides.end());
    key.push_back(t.layout.offset);
}

template <class List>
void append_all(numbers& key, List const& all) {
    key.push_back(static_cast<std::int64_t>(all.size()));
    for (auto const& t : all) append(key, t);
}

void add_steps(recipe& r, auto const& kind, forward_call const& call) { add_forward(r, kind, call); }
void add_steps(recipe& r, auto const& kind, backward_call const& call) { add_backward(r, kind, call); }

template <class Call>
[[nodiscard]] auto recipe_of(Call const& call) -> std::shared_ptr<recipe const> {
    auto made = std::make_shared<recipe>();
    auto const refuse = [&](std::string const& why) { throw cannot_compute(call.operation->name + ": " + why); };
    auto const is_short = [](placed_tensor const& t) {
        return t.layout.tensor.type == repebble::networks::element::bfloat16;
    };
    if (std::ranges::any_of(call.inputs, is_short) || std::ranges::any_of(call.outputs, is_short))
        refuse("its values are bfloat16, and only float32 is computed with here");
    try {
        std::visit(
            [&]<class Kind>(Kind const& kind) {
                if constexpr (!requires { Kind::is_view; }) add_steps(*made, kind, call);
            },
            call.operation->what);
    } catch (dnnl::error const& e) {
        refuse(e.what());
    } catch (repebble::error const& e) {
        refuse(e.what());
    }
    return made;
}

}  // namespace

template <class Call>
auto recipe_book::find_or_make(Call const& call, numbers key) -> std::shared_ptr<recipe const> {
    auto const& kind = call.operation->what;
    key.push_back(static_cast<std::int64_t>(kind.index()));
    auto& entries = entries_[std::move(key)];
    auto const known = std::ranges::find(entries, kind, &entry::kind);
    if (known != entries.end()) return known->how;
    entries.push_back({kind, recipe_of(call)});
    return entries.back().how;
}

auto recipe_book::find(forward_call const& call) -> std::shared_ptr<recipe const> {
    numbers key{0, call.training ? 1 : 0};
    append_all(key, call.inputs);
    append_all(key, call.outputs);
    return find_or_make(call, std::move(key));
}

auto recipe_book::find(backward_call const& call) -> std::shared_ptr<recipe const> {
    numbers key{1};
    append_all(key, call.inputs);
    append_all(key, call.outputs);
    append_all(key, call.output_gradients);
    for (auto const& g : call.input_gradients) {
        append(key, g.where);
        key.push_back(g.add ? 1 : 0);
    }
    for (auto const* p : call.parameter_gradients) key.push_back(p == nullptr ? 0 : 1);
    for (bool const adds : call.add_parameter) key.push_back(adds ? 1 : 0);
    return find_or_make(call, std::move(key));
}

}  // namespace train_cpu
