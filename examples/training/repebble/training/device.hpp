#ifndef REPEBBLE_TRAINING_DEVICE_HPP
#define REPEBBLE_TRAINING_DEVICE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/training/calls.hpp>

namespace repebble::training {

/// Stochastic gradient descent with momentum: v = momentum · v + g + decay · p, p = p - rate · v.
struct sgd {
    float rate = 0.01F;
    float momentum = 0.9F;
    float decay = 0;
};

/// Who computes the operations of a model: oneDNN, CUDA. Parameters and what belongs to them are float32; so are values
/// and their gradients, unless it is a `bfloat16_device`.
///   allocate(pool, size, alignment)  memory with `data()`, that ends with the object
///   upload(to, from, size), download(to, from, size)   between this process's memory and the device's
///   fill(at, size, seed), highest_change(at, size, seed)   as measuring_backend wants
///   workspace_of(call)  bytes that a forward or backward call needs as workspace. Of the call's addresses it looks at
///                       none but whether a tensor is there
///   make(call)          the call made ready, with everything allocated. Its `run` allocates nothing
///   begin_iteration(k)  what is random from now on belongs to iteration k: the same k and operation give the same
///   update(p, g, v, n, how)   one step of `sgd` for n float32 parameters, their gradients and velocities
///   finish()            waits until all is done
/// `workspace_of` and `make` throw repebble::error, naming the operation, where they do not know it.
template <class D>
concept computing_device =
    requires(D& d, std::byte* at, std::byte const* from, void* here, void const* there, bytes n, std::uint64_t seed,
             forward_call const& f, backward_call const& b, accumulate_call const& a, std::int64_t count, sgd how) {
        { d.allocate(pool::device, n, n).data() } -> std::convertible_to<std::byte*>;
        d.upload(at, there, n);
        d.download(here, from, n);
        d.fill(at, n, seed);
        { d.highest_change(from, n, seed) } -> std::convertible_to<bytes>;
        { d.workspace_of(f) } -> std::convertible_to<bytes>;
        { d.workspace_of(b) } -> std::convertible_to<bytes>;
        { d.make(f) } -> std::convertible_to<std::unique_ptr<task>>;
        { d.make(b) } -> std::convertible_to<std::unique_ptr<task>>;
        { d.make(a) } -> std::convertible_to<std::unique_ptr<task>>;
        d.begin_iteration(seed);
        d.update(at, from, at, count, how);
        d.finish();
    };

/// Where the blocks of a plan should begin: at multiples of a device's own `alignment`, or else of a cache line.
template <computing_device D>
inline constexpr bytes alignment_of = [] {
    if constexpr (requires { D::alignment; })
        return bytes{D::alignment};
    else
        return bytes{64};
}();

/// A device that computes operations whose values are bfloat16, with copies of parameters that are bfloat16, too:
///   to_bfloat16(to, from, count)  makes such a copy, of numbers of float32
template <class D>
concept bfloat16_device = computing_device<D> && requires(D& d, std::byte* to, std::byte const* from,
                                                          std::int64_t count) { d.to_bfloat16(to, from, count); };

/// Such a device that wants the copies of filters with their channels at the end, which it makes of (K, C, H, W):
///   filter_to_bfloat16(to, from, filter)
template <class D>
concept filter_arranging_device =
    bfloat16_device<D> && requires(D& d, std::byte* to, std::byte const* from, networks::tensor const& filter) {
        d.filter_to_bfloat16(to, from, filter);
    };

/// A device that copies between its pools in the order of all else that it does, and waits for nothing:
///   copy(to, from, size, where)  where: the pool in which `to` lies; `from` lies in the other one
template <class D>
concept copying_device = computing_device<D> && requires(D& d, std::byte* to, std::byte const* from, bytes n) {
    d.copy(to, from, n, pool::host);
};

/// A device that copies beside its computations, on lanes of their own, as a `lane_backend` does; what it has more of
/// that (`copies_first`, `cancel`) is passed on. All but copies may be asked of lane::compute, too.
///   copy_on(lane, to, from, size, where)   as `copy`, on the lane. With a sixth argument, the number of a step, and
///                                          copy_span(number) copies are timed, as a `lane_backend` has it
///   reserve_events(count), fill_on(lane, at, size, seed), record(lane, event), wait(lane, event)
template <class D>
concept lane_device = computing_device<D> && requires(D& d, lane on, std::byte* to, std::byte const* from, bytes n,
                                                      std::size_t event, std::uint64_t seed) {
    d.reserve_events(event);
    d.copy_on(on, to, from, n, pool::host);
    d.fill_on(on, to, n, seed);
    d.record(on, event);
    d.wait(on, event);
};

/// A device that can record what it is asked to do, to do it again as often as one likes at the cost of one launch.
///   begin_capture()  from now on tasks, copies, fills and marks are recorded and not done
///   end_capture()    an object that holds what was recorded; the device does again what it is asked to
///   launch(that)     does it, in the order of all else
/// `begin_capture` and `end_capture` throw where something cannot be recorded; then nothing is.
template <class D>
concept capturing_device = copying_device<D> && requires(D& d) {
    d.begin_capture();
    d.launch(d.end_capture());
};

}  // namespace repebble::training

#endif
