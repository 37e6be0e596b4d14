#ifndef REPEBBLE_IMPL_ALLOCATE_LIFETIMES_IPP
#define REPEBBLE_IMPL_ALLOCATE_LIFETIMES_IPP

#include <repebble/allocate/lifetimes.hpp>

#include <string>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/replay_clock.hpp>

namespace repebble::inline v0::detail {

/// Observer of a replay that records the lifetimes in both pools.
class lifetime_recorder {
  public:
    lifetime_recorder(schedule<> const& plan, bytes device_alignment, bytes host_alignment)
        : plan_(plan), device_{.alignment = device_alignment}, host_{.alignment = host_alignment} {
        for (auto const alignment : {device_alignment, host_alignment})
            if (alignment < 1)
                detail::raise(bad_buffer("an alignment must be at least 1, not " + std::to_string(alignment)));
    }

    void allocate(std::size_t step, instance i, pool where, bytes size, storage_pool::id storage) {
        auto& in = where == pool::host ? host_ : device_;
        auto const key = key_of(i, where, storage);
        if (key >= in.buffer_of.size()) in.buffer_of.resize(key + 1);
        in.buffer_of[key] = in.found.buffers.size();
        in.add(step, plan_.steps.size(), size, {.storage = i});
    }
    /// A discard ends a storage before its step; a computation ends it after its step, as the storage that it replaces
    /// lies beside the new one until then.
    void release(std::size_t step, instance i, pool where, storage_pool::id storage) {
        auto& in = where == pool::host ? host_ : device_;
        auto const buffer = in.buffer_of[key_of(i, where, storage)];
        auto const end = step + (plan_.steps[step].what == action::compute ? 1U : 0U);
        in.found.buffers[buffer].lifetime.upper = static_cast<std::int64_t>(end);
        in.ends.emplace_back(step, buffer);
    }
    void workspace(std::size_t step, operation_index v, std::uint32_t repetition, bytes size) {
        device_.add(step, step + 1, size,
                    {.what = buffer_use::kind::workspace, .operation = v, .repetition = repetition});
    }
    [[nodiscard]] auto finish(bytes peak) && -> replayed_lifetimes {
        auto const steps = plan_.steps.size();
        return {std::move(device_.found), std::move(host_.found), {steps, device_.ends}, {steps, host_.ends}, peak};
    }

  private:
    struct pool_record {
        void add(std::size_t begin, std::size_t end, bytes size, buffer_use use) {
            found.buffers.push_back({.lifetime = {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)},
                                     .size = size,
                                     .alignment = alignment});
            found.uses.push_back(use);
        }

        bytes alignment = 1;
        std::vector<std::size_t> buffer_of{};  // of each storage
        schedule_lifetimes found{};
        std::vector<std::pair<std::size_t, std::size_t>> ends{};  // a step, and a buffer
    };

    /// The key of a storage. In the host pool each storage holds one value, and each value lies in one storage.
    [[nodiscard]] static auto key_of(instance i, pool where, storage_pool::id storage) -> std::size_t {
        return where == pool::device ? storage : i.value;
    }

    schedule<> const& plan_;
    pool_record device_, host_;
};

REPEBBLE_INLINE auto replay_lifetimes(dataflow const& flow, schedule<> const& plan, bytes device_alignment,
                                           bytes host_alignment) -> replayed_lifetimes {
    lifetime_recorder recorder(plan, device_alignment, host_alignment);
    auto const peak = replay(flow, plan, {}, serial_clock{}, recorder).peak;
    return std::move(recorder).finish(peak);
}

}  // namespace repebble::inline v0::detail

#endif
