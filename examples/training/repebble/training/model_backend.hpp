#ifndef REPEBBLE_TRAINING_MODEL_BACKEND_HPP
#define REPEBBLE_TRAINING_MODEL_BACKEND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/execution_backend.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/training/training_vertex.hpp>
#include <repebble/networks/tensor.hpp>
#include <repebble/training/bfloat16.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/shared_parameters.hpp>

namespace repebble::training {

/// The backend of an executor that runs a model's training graph on a device. For one bound schedule.
/// A parameter that several operations share has the sum of their gradients. Where gradients lie beside the plan, it is
/// added up in the order in which the operations run; those that run again add nothing, and write the same bits where
/// they write at all.
template <computing_device Device>
class model_backend {
  public:
    /// `watched`: an operation of the model of which the first output, of numbers, is read as soon as it is there.
    model_backend(executable_model const& m, Device& device, resident_memory resident, std::size_t watched)
        : model_(&m),
          device_(&device),
          resident_(std::move(resident)),
          users_(m.model().parameters().size()),
          user_counts_(user_counts(m.model())),
          watched_(watched) {}

    [[nodiscard]] auto allocate(pool where, bytes size, bytes alignment) {
        return device_->allocate(where, size, alignment);
    }
    void prepare(std::size_t i, bound_step const& s, pool_memory const& memory) {
        if (s.what != action::compute) return;
        REPEBBLE_ASSERT(i >= tasks_.size());  // one schedule, each step once
        tasks_.resize(i + 1);
        if (model_->only_keeps_order(s.operation)) return;
        switch (model_->origin(s.operation).pass) {
            case pass::forward: {
                auto call = model_->forward(s, memory, resident_);
                if (s.repetition == 0 && call.index == watched_) {
                    auto const& t = call.operation->outputs.front();
                    seen_.resize(static_cast<std::size_t>(t.volume()));
                    seen_type_ = t.type;
                    arrived_ = device_->allocate(pool::host, t.size(), bytes{64});
                    seen_at_ = {i, call.outputs.front().storage};
                }
                tasks_[i] = device_->make(call);
                break;
            }
            case pass::backward:
                tasks_[i] = device_->make(backward(s, memory));
                break;
            case pass::accumulate:
                tasks_[i] = device_->make(model_->accumulate(s, memory));
                break;
            case pass::parameter:
                break;  // none here: backward operations write gradients of parameters
        }
    }
    void compute(std::size_t i, bound_step const&, pool_memory const&) {
        if (tasks_[i] != nullptr) tasks_[i]->run();
        if (seen_at_.second != nullptr && seen_at_.first == i)
            to_host(arrived_.data(), seen_at_.second, static_cast<bytes>(seen_.size()) * networks::size_of(seen_type_));
    }
    void copy(std::size_t, bound_step const& s, pool_memory const& memory) {
        auto const [to, from, size, where] = ends_of(s, memory);
        if (where == pool::host)
            to_host(to, from, size);
        else if constexpr (copying_device<Device>)
            device_->copy(to, from, size, where);
        else
            device_->upload(to, from, size);
    }
    /// Where the device has lanes.
    static constexpr bool copies_first = requires { requires Device::copies_first; };
    void reserve_events(std::size_t count)
        requires lane_device<Device>
    {
        device_->reserve_events(count);
    }
    void copy_on(lane on, [[maybe_unused]] std::size_t i, bound_step const& s, pool_memory const& memory)
        requires lane_device<Device>
    {
        auto const [to, from, size, where] = ends_of(s, memory);
        if (size == 0) return;
        if constexpr (requires { device_->copy_on(on, to, from, size, where, i); })
            device_->copy_on(on, to, from, size, where, i);
        else
            device_->copy_on(on, to, from, size, where);
    }
    /// Where the device times its copies.
    [[nodiscard]] auto copy_span(std::size_t i) const -> step_span
        requires requires(Device const& d) { d.copy_span(i); }
    {
        return device_->copy_span(i);
    }
    void fill_on(lane on, std::byte* at, bytes size, std::uint64_t seed)
        requires lane_device<Device>
    {
        if (size > 0) device_->fill_on(on, at, size, seed);
    }
    void record(lane on, std::size_t event)
        requires lane_device<Device>
    {
        device_->record(on, event);
    }
    void wait(lane on, std::size_t event)
        requires lane_device<Device>
    {
        device_->wait(on, event);
    }
    void cancel()
        requires requires(Device& d) { d.cancel(); }
    {
        device_->cancel();
    }
    void fill(std::byte* at, bytes size, std::uint64_t seed) { device_->fill(at, size, seed); }
    [[nodiscard]] auto highest_change(std::byte const* at, bytes size, std::uint64_t seed) -> bytes {
        return device_->highest_change(at, size, seed);
    }
    void finish() { device_->finish(); }
    /// Where the device has a clock of its own.
    void mark(std::size_t k)
        requires requires(Device& d) { d.mark(k); }
    {
        device_->mark(k);
    }
    [[nodiscard]] auto nanoseconds(std::size_t k) const -> std::int64_t
        requires requires(Device& d) { d.nanoseconds(k); }
    {
        return device_->nanoseconds(k);
    }

    /// What the watched operation made in the last run.  Requires: the device has finished it.
    [[nodiscard]] auto seen() -> std::span<float const> {
        from_stored(arrived_.data(), seen_type_, seen_);
        return seen_;
    }

    /// The first parameter that has its gradients added up in another order than that of the training graph's
    /// operations, if there is one: then the last bits of its gradient may differ from those by another plan.
    [[nodiscard]] auto first_reordered() const -> std::string {
        for (std::size_t p = 0; p < users_.size(); ++p)
            if (!std::ranges::is_sorted(users_[p])) return model_->model().parameters()[p].name;
        return {};
    }

  private:
    using host_memory = decltype(std::declval<Device&>().allocate(pool::host, bytes{}, bytes{}));

    struct copy_ends {
        std::byte* to = nullptr;
        std::byte const* from = nullptr;
        bytes size = 0;
        pool where = pool::host;  // in which `to` lies
    };
    [[nodiscard]] static auto ends_of(bound_step const& s, pool_memory const& memory) -> copy_ends {
        auto const where = s.what == action::offload ? pool::host : pool::device;
        auto const& from = s.reads.front().where;
        return {memory.at(s.writes.front().where, where),
                memory.at(from, where == pool::host ? pool::device : pool::host), from.size, where};
    }

    void to_host(std::byte* to, std::byte const* from, bytes size) {
        if constexpr (copying_device<Device>)
            device_->copy(to, from, size, pool::host);
        else
            device_->download(to, from, size);
    }
    [[nodiscard]] auto backward(bound_step const& s, pool_memory const& memory) -> backward_call {
        auto call = model_->backward(s, memory, resident_);
        if (model_->plans_gradients()) return call;  // the graph says who adds to which sum, and who runs again
        auto const& parameters = call.operation->parameters;
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            if (s.repetition > 0) {
                call.parameter_gradients[k] = nullptr;
                continue;
            }
            auto& users = users_[parameters[k]];
            call.add_parameter[k] = !users.empty();
            users.push_back(s.operation);
        }
        // Whoever computes a gradient whether it is wanted or not needs a place for it: that with the same bits will
        // do.
        if (s.repetition > 0 && device_->workspace_of(call) > call.workspace.size)
            for (std::size_t k = 0; k < parameters.size(); ++k)
                if (user_counts_[parameters[k]] == 1) call.parameter_gradients[k] = resident_.gradients[parameters[k]];
        return call;
    }

    executable_model const* model_;
    Device* device_;
    resident_memory resident_;
    std::vector<std::vector<operation_index>> users_;  // of every parameter, in the order in which they run
    std::vector<std::size_t> user_counts_;
    std::vector<std::unique_ptr<task>> tasks_{};  // of every step
    std::size_t watched_;
    std::pair<std::size_t, std::byte const*> seen_at_{};  // a step, and where its output lies
    networks::element seen_type_ = networks::element::float32;
    host_memory arrived_{};  // the output, as it is stored
    std::vector<float> seen_{};
};

}  // namespace repebble::training

#endif
