#include "cpu_device.hpp"

#include <utility>

#include "descriptors.hpp"
#include "parallel_for.hpp"
#include "places.hpp"

namespace train_cpu {

using repebble::training::accumulate_call;
using repebble::training::task;

namespace {

class accumulate_task final : public task {
  public:
    explicit accumulate_task(accumulate_call const& call) : call_(call) {}
    void run() override {
        auto* const sum = as<float>(call_.sum);
        auto const* const a = reinterpret_cast<float const*>(call_.first);
        auto const* const b = reinterpret_cast<float const*>(call_.second);
        parallel_pieces(call_.size / static_cast<repebble::bytes>(sizeof(float)), [&](extent begin, extent end) {
            for (extent i = begin; i < end; ++i) sum[i] = a[i] + b[i];
        });
    }

  private:
    accumulate_call call_;
};

}  // namespace

cpu_device::cpu_device(std::uint64_t seed)
    : stream_(cpu_engine()), seed_(seed), iteration_seed_(std::make_unique<std::uint64_t>()) {
    begin_iteration(0);
}

auto cpu_device::workspace_of(forward_call const& call) -> repebble::bytes { return recipes_.find(call)->workspace(); }

auto cpu_device::workspace_of(backward_call const& call) -> repebble::bytes { return recipes_.find(call)->workspace(); }

auto cpu_device::make(forward_call const& call) -> std::unique_ptr<task> {
    return make_ready(call, {0, call.index, call.repetition}, {});
}

auto cpu_device::make(backward_call const& call) -> std::unique_ptr<task> {
    return make_ready(call, {0, call.index, 0}, call.clear);
}

template <class Call>
auto cpu_device::make_ready(Call const& call, run_context context, std::vector<repebble::training::memory_block> clear)
    -> std::unique_ptr<task> {
    auto how = recipes_.find(call);
    REPEBBLE_ASSERT(call.workspace.size >= how->workspace());
    auto const where = address_book_of(call, *how);
    try {
        return std::make_unique<ready_recipe>(std::move(how), where, call.operation->name, stream_,
                                              iteration_seed_.get(), context, std::move(clear));
    } catch (dnnl::error const& e) {
        throw cannot_compute(call.operation->name + ": " + e.what());
    }
}

auto cpu_device::make(accumulate_call const& call) -> std::unique_ptr<task> {
    return std::make_unique<accumulate_task>(call);
}

void cpu_device::begin_iteration(std::uint64_t k) { *iteration_seed_ = repebble::fill_pattern{seed_}.word(k); }

void cpu_device::update(std::byte* parameters, std::byte const* gradients, std::byte* velocities, std::int64_t count,
                        repebble::training::sgd how) {
    auto* const p = as<float>(parameters);
    auto const* const g = reinterpret_cast<float const*>(gradients);
    auto* const v = as<float>(velocities);
    parallel_pieces(count, [&](extent begin, extent end) {
        for (extent i = begin; i < end; ++i) {
            auto const velocity = how.momentum * v[i] + g[i] + how.decay * p[i];
            v[i] = velocity;
            p[i] -= how.rate * velocity;
        }
    });
}

}  // namespace train_cpu
