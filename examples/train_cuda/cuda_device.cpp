#include "cuda_device.hpp"

#include <variant>

#include "families.hpp"

namespace train_cuda {

static_assert(training::capturing_device<cuda_device> && training::filter_arranging_device<cuda_device> &&
              training::lane_device<cuda_device>);

namespace {

/// Kinds that compute nothing.
template <class Kind>
inline constexpr bool is_view = requires { requires Kind::is_view; };

template <class Call>
[[nodiscard]] auto begin_recipe(device_context& on, Call const& c) -> std::unique_ptr<recipe> {
    auto made = std::make_unique<recipe>(on, c.operation->name, c.workspace);
    if constexpr (requires { c.clear; })
        for (auto const& block : c.clear) made->set_to_zero(block.data, block.size);
    return made;
}

[[nodiscard]] auto recipe_of(device_context& on, forward_call const& c) -> std::unique_ptr<recipe> {
    auto made = begin_recipe(on, c);
    std::visit(
        [&]<class Kind>(Kind const& kind) {
            if constexpr (!is_view<Kind>) forward(*made, kind, c);
        },
        c.operation->what);
    made->finish();
    return made;
}

[[nodiscard]] auto recipe_of(device_context& on, backward_call const& c) -> std::unique_ptr<recipe> {
    auto made = begin_recipe(on, c);
    std::visit(
        [&]<class Kind>(Kind const& kind) {
            if constexpr (!is_view<Kind>) backward(*made, kind, c);
        },
        c.operation->what);
    made->finish();
    return made;
}

/// Whatever workspace the call has already, it is not looked at.
template <class Call>
[[nodiscard]] auto size_of_workspace(device_context& on, Call c) -> repebble::bytes {
    c.workspace = {};
    return recipe_of(on, c)->workspace_size();
}

template <class Call>
[[nodiscard]] auto task_of(device_context& on, Call const& c) -> std::unique_ptr<training::task> {
    auto made = recipe_of(on, c);
    made->require_workspace();
    return made;
}

}  // namespace

cuda_device::cuda_device(device_options const& options) : context_(options) {}

void cuda_device::upload(std::byte* to, void const* from, repebble::bytes size) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size), cudaMemcpyHostToDevice, stream()), "upload");
    finish();
}

void cuda_device::download(void* to, std::byte const* from, repebble::bytes size) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size), cudaMemcpyDeviceToHost, stream()), "download");
    finish();
}

void cuda_device::fill(std::byte* at, repebble::bytes size, std::uint64_t seed) {
    fill_on(repebble::lane::compute, at, size, seed);
}

auto cuda_device::highest_change(std::byte const* at, repebble::bytes size, std::uint64_t seed) -> repebble::bytes {
    auto* const result = context_.result();
    check(cudaMemsetAsync(result, 0, sizeof(*result), stream()), "cudaMemsetAsync", "highest_change");
    check(kernels::highest_change(stream(), at, size, seed, result), "highest_change");
    unsigned long long found = 0;
    download(&found, reinterpret_cast<std::byte const*>(result), sizeof(found));
    return static_cast<repebble::bytes>(found);
}

auto cuda_device::workspace_of(forward_call const& c) -> repebble::bytes { return size_of_workspace(context_, c); }
auto cuda_device::workspace_of(backward_call const& c) -> repebble::bytes { return size_of_workspace(context_, c); }

auto cuda_device::make(forward_call const& c) -> std::unique_ptr<training::task> { return task_of(context_, c); }
auto cuda_device::make(backward_call const& c) -> std::unique_ptr<training::task> { return task_of(context_, c); }

auto cuda_device::make(training::accumulate_call const& c) -> std::unique_ptr<training::task> {
    auto made = std::make_unique<recipe>(context_, "accumulate", training::memory_block{});
    auto const as = stored_as(c.type);
    auto const count = c.size / networks::size_of(c.type);
    auto const read = [as](std::byte const* at) { return kernels::numbers{const_cast<std::byte*>(at), as}; };
    made->add("accumulate", [to = kernels::numbers{c.sum, as}, a = read(c.first), b = read(c.second), count,
                             s = stream()] { return kernels::accumulate(s, count, to, a, b); });
    made->finish();
    return made;
}

void cuda_device::begin_iteration(std::uint64_t k) {
    check(kernels::set_word(stream(), context_.iteration(), k), "set_word", "begin_iteration");
}

void cuda_device::update(std::byte* parameter, std::byte const* gradient, std::byte* velocity, std::int64_t count,
                         training::sgd how) {
    check(kernels::sgd(stream(), count, reinterpret_cast<float*>(parameter), reinterpret_cast<float const*>(gradient),
                       reinterpret_cast<float*>(velocity), how.rate, how.momentum, how.decay),
          "sgd", "update");
}

void cuda_device::to_bfloat16(std::byte* to, std::byte const* from, std::int64_t count) {
    check(kernels::to_bfloat16(stream(), count, to, reinterpret_cast<float const*>(from)), "to_bfloat16");
}

void cuda_device::filter_to_bfloat16(std::byte* to, std::byte const* from, repebble::networks::tensor const& filter) {
    auto const positions = filter.shape.at(2) * filter.shape.at(3);
    check(kernels::channels_to_end(stream(), filter.shape[0], filter.shape[1], positions,
                                   reinterpret_cast<float const*>(from), {to, kernels::stored::bfloat16}),
          "channels_to_end", "filter_to_bfloat16");
}

void cuda_device::finish() { check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize", "finish"); }

void cuda_device::copy(std::byte* to, std::byte const* from, repebble::bytes size, repebble::pool where) {
    // Few bytes, such as the loss, are written by a kernel: a copy would wait for those of the other lanes, which have
    // the same engine.
    constexpr repebble::bytes few = 4096;
    if (where == repebble::pool::host && size > 0 && size <= few) {
        kernels::walk<2> const straight{.count = size, .rank = 1, .extent = {size}, .stride = {{1}, {1}}};
        return check(kernels::copy(stream(), straight, 1, to, from), "copy");
    }
    copy_on(repebble::lane::compute, to, from, size, where);
}

void cuda_device::reserve_events(std::size_t count) {
    events_.reserve(count);
    while (events_.size() < count) events_.emplace_back();
    if (copies_.size() < count) copies_.resize(count);
}

void cuda_device::copy_on(repebble::lane on, std::byte* to, std::byte const* from, repebble::bytes size,
                          repebble::pool where) {
    auto const kind = where == repebble::pool::device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size), kind, stream(on)), "cudaMemcpyAsync", "copy");
}

void cuda_device::copy_on(repebble::lane on, std::byte* to, std::byte const* from, repebble::bytes size,
                          repebble::pool where, std::size_t step) {
    if (captures_ || step >= copies_.size()) return copy_on(on, to, from, size, where);
    auto& timed = copies_[step];
    if (!timed) timed.emplace();
    check(cudaEventRecord(timed->begin.get(), stream(on)), "cudaEventRecord", "copy");
    copy_on(on, to, from, size, where);
    check(cudaEventRecord(timed->end.get(), stream(on)), "cudaEventRecord", "copy");
}

auto cuda_device::copy_span(std::size_t step) const -> repebble::step_span {
    if (step >= copies_.size() || !copies_[step]) return {};
    auto const begin = nanoseconds(marks_.at(0), copies_[step]->begin);
    if (begin < 0) return {};  // of an earlier run
    return {begin, nanoseconds(marks_[0], copies_[step]->end)};
}

void cuda_device::fill_on(repebble::lane on, std::byte* at, repebble::bytes size, std::uint64_t seed) {
    check(kernels::fill(stream(on), at, size, seed), "fill");
}

void cuda_device::record(repebble::lane on, std::size_t event) {
    check(cudaEventRecord(events_.at(event).get(), stream(on)), "cudaEventRecord", "record");
}

void cuda_device::wait(repebble::lane on, std::size_t event) {
    check(cudaStreamWaitEvent(stream(on), events_.at(event).get(), 0), "cudaStreamWaitEvent", "wait");
}

void cuda_device::cancel() noexcept {
    for (auto const on : {repebble::lane::compute, repebble::lane::offload, repebble::lane::prefetch})
        static_cast<void>(cudaStreamSynchronize(stream(on)));
}

void cuda_device::begin_capture() {
    check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    captures_ = true;
}

auto cuda_device::end_capture() -> executable_graph {
    captures_ = false;
    cudaGraph_t recorded{};
    auto const status = cudaStreamEndCapture(stream(), &recorded);
    check(status, "cudaStreamEndCapture");
    detail::owned<cudaGraph_t, &cudaGraphDestroy> const graph(recorded);
    return executable_graph(graph.get());
}

void cuda_device::launch(executable_graph const& graph) {
    check(cudaGraphLaunch(graph.get(), stream()), "cudaGraphLaunch");
}

void cuda_device::reserve_marks(std::size_t count) {
    marks_.reserve(count);
    while (marks_.size() < count) marks_.emplace_back();
}

void cuda_device::mark(std::size_t k) {
    if (k >= marks_.size()) reserve_marks(k + 1);
    // In a graph an event has a time only if it is a node.
    auto const how = captures_ ? cudaEventRecordExternal : cudaEventRecordDefault;
    check(cudaEventRecordWithFlags(marks_[k].get(), stream(), how), "cudaEventRecordWithFlags", "mark");
}

auto cuda_device::nanoseconds(std::size_t k) const -> std::int64_t {
    return nanoseconds(marks_.at(k), marks_.at(k + 1));
}

auto cuda_device::nanoseconds(event_handle const& from, event_handle const& to) -> std::int64_t {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, from.get(), to.get()), "cudaEventElapsedTime");
    return static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
}

}  // namespace train_cuda
