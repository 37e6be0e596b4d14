#include "recipe.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "descriptors.hpp"

namespace train_cpu {

namespace {

constexpr bytes alignment = 64;

[[nodiscard]] auto size_of(dnnl::memory::desc const& d) -> bytes { return static_cast<bytes>(d.get_size()); }

/// Of what has a padding no memory object is made: making one would write to the padding.
[[nodiscard]] auto without_padding(dnnl::memory::desc const& d) -> dnnl::memory::desc {
    if (!is_padded(d)) return d;
    return {{size_of(d)}, dnnl::memory::data_type::u8, dnnl::memory::format_tag::a};
}

[[nodiscard]] auto resolve(place const& p, address_book const& book) -> std::byte* {
    if (p.what == place::role::nowhere) return nullptr;
    return book[static_cast<std::size_t>(p.what)].at(p.index) + p.offset;
}

[[nodiscard]] auto storages_of(std::vector<repebble::training::placed_tensor> const& all) -> std::vector<std::byte*> {
    std::vector<std::byte*> storages;
    for (auto const& t : all) storages.push_back(t.storage);
    return storages;
}

[[nodiscard]] auto& list(address_book& book, place::role what) { return book[static_cast<std::size_t>(what)]; }

template <class Call>
[[nodiscard]] auto common_book(Call const& call, recipe const& how) -> address_book {
    static float one = 1;
    address_book book;
    list(book, place::role::input) = storages_of(call.inputs);
    list(book, place::role::output) = storages_of(call.outputs);
    list(book, place::role::parameter) = call.parameters;
    if (call.workspace.data != nullptr) {
        list(book, place::role::workspace) = {call.workspace.data};
        list(book, place::role::scratchpad) = {call.workspace.data + how.scratchpad_offset()};
    }
    list(book, place::role::one) = {reinterpret_cast<std::byte*>(&one)};
    return book;
}

}  // namespace

auto recipe::reserve(bytes size) -> place {
    place const p{place::role::workspace, 0, reserved_};
    reserved_ += (size + alignment - 1) / alignment * alignment;
    highest_ = std::max(highest_, reserved_);
    return p;
}

void recipe::compute(std::vector<place> places, computation what) {
    steps_.push_back({{}, {}, std::move(what), std::move(places)});
}

void recipe::add_primitive(dnnl::primitive p, dnnl::memory::desc const& scratchpad, std::vector<argument> arguments) {
    if (auto const size = size_of(scratchpad); size > 0) {
        scratchpad_ = std::max(scratchpad_, size);
        arguments.push_back({DNNL_ARG_SCRATCHPAD, {place::role::scratchpad}, scratchpad});
    }
    steps_.push_back({std::move(p), std::move(arguments), {}, {}});
}

void recipe::reorder(place from, dnnl::memory::desc const& from_desc, place to, dnnl::memory::desc const& to_desc,
                     bool add) {
    if (is_padded(to_desc))
        compute({to}, [size = to_desc.get_size()](addresses at, run_context const&) { std::memset(at[0], 0, size); });
    dnnl::reorder::primitive_desc const pd(cpu_engine(), from_desc, cpu_engine(), to_desc, attributes(add));
    execute(pd, {{DNNL_ARG_FROM, from, from_desc}, {DNNL_ARG_TO, to, to_desc}});
}

auto recipe::read(place from, layout const& actual, layout const& wanted) -> place {
    if (lies_as(actual, wanted)) return from;
    auto const copy = reserve(wanted.tensor.size());
    reorder(from, desc_of(actual), copy, desc_of(wanted));
    return copy;
}

auto recipe::write(place to, layout const& wanted, layout const& computed, bool add, bool adds_itself) -> destination {
    if (lies_as(wanted, computed) && (!add || adds_itself)) return {to, computed, add};
    return {reserve(computed.tensor.size()), computed, false, true, to, wanted, add};
}

void recipe::deliver(destination const& d) {
    if (d.moved) reorder(d.computed, desc_of(d.as_computed), d.wanted, desc_of(d.as_wanted), d.add_moved);
}

ready_recipe::ready_recipe(std::shared_ptr<recipe const> how, address_book const& where, std::string name,
                           dnnl::stream const& stream, std::uint64_t const* seed, run_context context,
                           std::vector<repebble::training::memory_block> clear)
    : how_(std::move(how)),
      name_(std::move(name)),
      stream_(stream),
      seed_(seed),
      context_(context),
      clear_(std::move(clear)) {
    for (auto const& s : how_->steps()) {
        auto& ready = steps_.emplace_back();
        if (s.what) {
            ready.what = &s.what;
            for (auto const& p : s.places) ready.addresses.push_back(resolve(p, where));
        } else {
            ready.primitive = s.primitive.get();
            for (auto const& a : s.arguments) {
                memories_.emplace_back(without_padding(a.desc), cpu_engine(), resolve(a.where, where));
                ready.arguments.push_back({a.name, memories_.back().get()});
            }
        }
    }
}

void ready_recipe::run() {
    for (auto const& block : clear_) std::memset(block.data, 0, static_cast<std::size_t>(block.size));
    context_.seed = *seed_;
    for (auto const& s : steps_) {
        if (s.what != nullptr) {
            (*s.what)(s.addresses.data(), context_);
        } else if (dnnl_primitive_execute(s.primitive, stream_.get(), static_cast<int>(s.arguments.size()),
                                          s.arguments.data()) != dnnl_success) {
            throw std::runtime_error(name_ + ": oneDNN could not run it");
        }
    }
}

auto address_book_of(repebble::training::forward_call const& call, recipe const& how) -> address_book {
    return common_book(call, how);
}

auto address_book_of(repebble::training::backward_call const& call, recipe const& how) -> address_book {
    auto book = common_book(call, how);
    list(book, place::role::output_gradient) = storages_of(call.output_gradients);
    for (auto const& g : call.input_gradients) list(book, place::role::input_gradient).push_back(g.where.storage);
    list(book, place::role::parameter_gradient) = call.parameter_gradients;
    return book;
}

}  // namespace train_cpu
