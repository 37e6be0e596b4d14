#ifndef REPEBBLE_PEBBLING_PEBBLE_GAME_HPP
#define REPEBBLE_PEBBLING_PEBBLE_GAME_HPP

// The state machine of the pebble game with two pools, views, in-place steps and workspaces: one step at a time, every
// rule checked. `verify_schedule` plays schedules on it; violation.hpp lists the rules.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/describe.hpp>
#include <repebble/pebbling/detail/describe.hpp>
#include <repebble/pebbling/observer.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/replay_result.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/storage_pool.hpp>
#include <repebble/pebbling/violation.hpp>

namespace repebble::inline v0 {

/// The state of a pebble game: which values are resident in which pool, and in which storage.
template <class Clock = serial_clock, class Observer = no_observer>
class pebble_game {
  public:
    /// The game begins with no value in memory.
    pebble_game(dataflow const& flow, Clock clock, Observer& observer)
        : flow_(flow),
          clock_(clock),
          observer_(observer),
          runs_(flow.operation_count(), 0),
          values_(flow.value_count()),
          storage_of_(flow.owner_slots(), storage_pool::none) {}

    /// Plays one step and returns whether it keeps the rules; if not, the game is over.
    [[nodiscard]] auto play(std::size_t step_number, step<> const& s) -> bool {
        step_ = step_number;
        if (s.vertex >= flow_.operation_count()) {
            fail(rule::names_exist, s.vertex, "there is no such vertex");
            return false;
        }
        if (!begun_ && !(s.what == action::compute && flow_.is_input(s.vertex)) && !begin()) return false;
        if (s.what == action::compute) return compute(s);
        bytes const before = device_.bytes_in_use();
        if (!move(s)) return false;
        during_ = std::max(before, device_.bytes_in_use());
        return true;
    }

    /// Checks that the game has reached its goal; if not, that is a broken rule.
    void finish(std::size_t step_count, std::vector<value_index> const& resident_at_end) {
        step_ = step_count;
        if (!begun_ && !begin()) return;
        for (auto const value : flow_.results())
            if (!values_[value].on_device)
                return fail(rule::complete, flow_.producers(value).front(),
                            "its " + result_name(value) + " is a result and not resident at the end");
        for (auto const value : resident_at_end) {
            if (value >= values_.size())
                return fail(rule::names_exist, value, "there is no such value to be resident at the end");
            if (!values_[value].on_device)
                return fail(rule::complete, flow_.producers(value).front(), "its value is not resident at the end");
        }
        if (!resident_at_end.empty()) return;
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            if (!flow_.is_sink(v) || runs_[v] > 0) continue;
            bool computed = !flow_.writes(v).empty();  // by alternative producers
            for (auto const value : flow_.writes(v)) computed = computed && values_[value].computations > 0;
            if (!computed) return fail(rule::complete, v, "is a sink and never runs");
        }
    }

    /// Most bytes in the device pool while the last step ran, its outputs and its workspace among them.
    [[nodiscard]] auto bytes_during_step() const noexcept -> bytes { return during_; }
    /// The first rule that was broken.
    [[nodiscard]] auto broken() const noexcept -> std::optional<violation> const& { return broken_; }
    /// Time of the steps so far.
    [[nodiscard]] auto elapsed() const -> std::int64_t { return clock_.elapsed(); }
    /// How long computations waited so far, by cause.
    [[nodiscard]] auto stalls() const -> lane_stalls {
        auto all = stalls_;
        if constexpr (overlaps) all.at_end = elapsed() - computed_until_;
        return all;
    }
    /// Bytes copied out of the device pool so far.
    [[nodiscard]] auto bytes_out() const noexcept -> bytes { return bytes_out_; }
    /// Bytes copied into the device pool so far.
    [[nodiscard]] auto bytes_in() const noexcept -> bytes { return bytes_in_; }
    /// Most bytes in the host pool so far.
    [[nodiscard]] auto host_peak() const -> bytes { return host_peak_; }
    /// The number of computations that were not the first of their operation.
    [[nodiscard]] auto recomputations() const -> std::size_t { return recomputations_; }

  private:
    using storage = storage_pool::id;

    using value_state = detail::value_state;
    /// On a clock whose lanes overlap, a discard takes effect when the last work on the value has ended.
    static constexpr bool overlaps = overlapping_clock<Clock, std::int64_t>;

    [[nodiscard]] auto compute(step<> const& s) -> bool {
        auto const v = s.vertex;
        auto const over = [this](rule broken, operation_index u, std::string const& why) {
            fail(broken, u, why);
            return false;
        };
        if (s.repetition != runs_[v])
            return over(rule::repetition_counts, v,
                        "says that it ran " + std::to_string(s.repetition) + " times before, and it ran " +
                            std::to_string(runs_[v]));
        if (runs_[v] > 0 && !flow_.recomputable(v))
            return over(rule::runs_once, v, "is not recomputable and runs again");
        if (flow_.is_input(v) && begun_) return over(rule::inputs_first, v, "is an input and begins after other steps");
        for (auto const u : flow_.control_predecessors(v))
            if (runs_[u] == 0)
                return over(rule::control_order, v,
                            "runs before vertex " + std::to_string(u) +
                                ", from which a "
                                "control edge leads to it");
        if constexpr (overlaps) free_from_ = {};
        std::int64_t ready{};
        for (auto const value : flow_.reads(v)) {
            if (!values_[value].on_device)
                return over(rule::reads_resident, v, "reads " + describe(value) + ", which is not resident");
            ready = std::max(ready, values_[value].ready);
        }
        auto const outputs = flow_.writes(v);
        fresh_.assign(outputs.size(), storage_pool::none);
        if (s.in_place) {
            auto const reused = take_over(s);
            if (broken_) return false;
            fresh_[s.output] = reused;
        }
        for (std::size_t k = 0; k < flow_.mutations(v).size(); ++k) {
            auto const& m = flow_.mutations(v)[k];
            if (fresh_[m.output] != storage_pool::none)
                return over(rule::overwrites_last, v, "writes output " + std::to_string(m.output) + " over two values");
            fresh_[m.output] = mutate(v, k);
            if (broken_) return false;
        }

        // The new storages are allocated beside all resident values, older instances of the outputs among them.
        for (std::uint32_t j = 0; j < outputs.size(); ++j)
            if (!flow_.is_view(outputs[j]) && fresh_[j] == storage_pool::none)
                fresh_[j] = allocate(outputs[j], values_[outputs[j]].computations);
        if (flow_.workspace(v) > 0) detail::notify_workspace(observer_, step_, v, runs_[v], flow_.workspace(v));
        during_ = checked_add(device_.bytes_in_use(), flow_.workspace(v));
        std::int64_t const end = run_operation(v, ready);
        for (std::size_t j = 0; j < outputs.size(); ++j) {
            auto const value = outputs[j];
            auto& state = values_[value];
            used_until(state.last_use, end);  // an older instance is replaced when the step ends
            used_until(state.host_last_use, end);
            if (flow_.is_view(value)) {
                if (!look_at_owners(value, v)) return false;
            } else {
                if (state.on_device) drop_from_device(value);
                put(value, fresh_[j]);
            }
            if (state.on_host) drop_from_host(value);  // a copy of an older computation
            ++state.computations;
            state.on_device = true;
            state.ready = state.last_use = end;
        }
        if (runs_[v]++ > 0) ++recomputations_;
        return true;
    }

    /// Runs v on the lane of computations, when what it reads is ready and the memory that it takes is free.
    [[nodiscard]] auto run_operation(operation_index v, std::int64_t ready) -> std::int64_t {
        if constexpr (!overlaps) {
            return run_on(lane::compute, ready, flow_.time(v));
        } else {
            bool takes = flow_.workspace(v) > 0;
            for (auto const value : flow_.writes(v)) takes = takes || (!flow_.is_view(value) && flow_.size(value) > 0);
            auto const free = takes ? std::max(free_from_, available(pool::device)) : free_from_;
            auto const with_data = std::max(computed_until_, ready);
            auto const start = std::max(with_data, free);
            stalls_.for_data += with_data - computed_until_;
            stalls_.for_memory += start - with_data;
            computed_until_ = run_on(lane::compute, start, flow_.time(v));
            for (auto const value : flow_.reads(v)) used_until(values_[value].last_use, computed_until_);
            if (flow_.workspace(v) > 0) release(pool::device, computed_until_);
            return computed_until_;
        }
    }
    auto run_on(lane where, std::int64_t ready, std::int64_t duration) -> std::int64_t {
        auto const end = clock_.run(where, ready, duration);
        detail::notify_run(observer_, step_, where, end - duration, end);
        return end;
    }

    /// All inputs must be present before the first other step.
    [[nodiscard]] auto begin() -> bool {
        begun_ = true;
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            if (flow_.is_input(v) && runs_[v] == 0) fail(rule::inputs_first, v, "is an input and not present");
        return !broken_;
    }

    /// Discards, offloads or prefetches.
    [[nodiscard]] auto move(step<> const& s) -> bool {
        auto const value = named(s.vertex, s.output);
        if (!value) return false;
        auto const computations = values_[*value].computations;
        if (computations == 0 || s.repetition != computations - 1)
            fail(rule::repetition_counts, s.vertex,
                 "names computation " + std::to_string(s.repetition) + " of output " + std::to_string(s.output) +
                     ", which was computed " + std::to_string(computations) + " times");
        else if (s.what == action::discard)
            discard(s, *value);
        else if (s.what == action::offload)
            offload(s, *value);
        else
            prefetch(s, *value);
        return !broken_;
    }

    /// Makes the new instance of a view refer to the current storages of its owners.
    [[nodiscard]] auto look_at_owners(value_index view, operation_index v) -> bool {
        auto const owners = flow_.owners(view);
        seen_.clear();
        for (auto const owner : owners) {
            seen_.push_back(find_storage(owner, v));
            if (broken_) return false;
            device_.refer(seen_.back());
        }
        if (values_[view].on_device) drop_from_device(view);
        for (std::size_t k = 0; k < seen_.size(); ++k) storage_of_[flow_.owner_start(view) + k] = seen_[k];
        return true;
    }

    /// The storage of `owner` as v reads it: through the owner itself, or through a view that still refers to it.
    auto find_storage(value_index owner, operation_index v) -> storage {
        if (auto const slot = flow_.slot_seen(v, owner)) return storage_of_[*slot];
        fail(rule::reads_resident, v, "is a view of " + describe(owner) + ", which it does not read");
        return storage_pool::none;
    }

    /// Ends the value that the step writes over, and returns its storage.
    auto take_over(step<> const& s) -> storage {
        auto const v = s.vertex;
        if (s.over >= flow_.operation_count()) {
            fail(rule::names_exist, s.over, "there is no such vertex to write over");
            return storage_pool::none;
        }
        auto const written = named(v, s.output);
        if (!written) return storage_pool::none;
        auto const overwritten = named(s.over, s.over_output);
        if (!overwritten) return storage_pool::none;
        auto const output = *written, over = *overwritten;
        auto const deny = [&](char const* why) {
            fail(rule::overwrites_last, v, "writes over " + describe(over) + why);
            return storage_pool::none;
        };
        if (flow_.is_view(output)) return deny(" through a view");
        if (over == output) return deny(", its own output");
        if (!values_[over].on_device) return deny(", which is not resident");
        if (flow_.owners(over).size() != 1) return deny(", a view of several storages");
        auto const id = storage_of_[flow_.owner_start(over)];
        if (device_.references(id) != 1) return deny(" while another view of its storage is alive");
        for (auto const view : flow_.writes(v))
            for (auto const owner : flow_.owners(view)) {
                if (!flow_.is_view(view)) continue;
                auto const seen = find_storage(owner, v);
                if (broken_) return storage_pool::none;
                if (seen == id) return deny(", of which another output is a view");
            }
        if (flow_.size(output) > device_.size(id)) {
            fail(rule::overwrite_fits, v,
                 "writes " + std::to_string(flow_.size(output)) + " bytes over the " +
                     std::to_string(device_.size(id)) + " of " + describe(over));
            return storage_pool::none;
        }
        used_until(free_from_, values_[over].last_use);
        device_.hand_over(id);
        storage_of_[flow_.owner_start(over)] = storage_pool::none;
        values_[over].on_device = false;
        detail::notify_overwrite(observer_, step_, {output, values_[output].computations}, device_.first_instance(id));
        return id;
    }

    /// Ends the value that mutation k of v overwrites, and all that v reads in its storage; returns the storage.
    auto mutate(operation_index v, std::size_t k) -> storage {
        auto const& m = flow_.mutations(v)[k];
        auto const deny = [&](std::string const& why) {
            fail(rule::overwrites_last, v, "overwrites " + describe(m.over) + why);
            return storage_pool::none;
        };
        auto const id = storage_of_[flow_.owner_start(m.over)];
        auto const output = flow_.writes(v)[m.output];
        if (id == storage_pool::none) return deny(", which another output overwrites");
        if (device_.size(id) < flow_.size(output)) {
            fail(rule::overwrite_fits, v,
                 "writes " + std::to_string(flow_.size(output)) + " bytes over the " +
                     std::to_string(device_.size(id)) + " of " + describe(m.over));
            return storage_pool::none;
        }
        // A view may refer to the storage of an older computation.
        auto const is_here = [&](value_index value) { return storage_of_[flow_.owner_start(value)] == id; };
        std::uint32_t here = 0;
        for (auto const value : flow_.ended(v, k)) {
            if (!is_here(value)) continue;
            used_until(free_from_, values_[value].last_use);
            ++here;
        }
        if (device_.references(id) != here) return deny(" while another value in its storage is alive");
        device_.keep(id);
        for (auto const value : flow_.ended(v, k)) {
            if (!is_here(value)) continue;
            storage_of_[flow_.owner_start(value)] = storage_pool::none;
            values_[value].on_device = false;
        }
        detail::notify_overwrite(observer_, step_, {output, values_[output].computations}, device_.first_instance(id));
        return id;
    }

    void discard(step<> const& s, value_index value) {
        auto const& state = values_[value];
        bool const device = s.from == pool::device;
        if (device ? !state.on_device : !state.on_host)
            return fail(rule::discards_resident, s.vertex,
                        "discards " + describe(value) + ", which is not in that pool");
        device ? drop_from_device(value) : drop_from_host(value);
    }

    void offload(step<> const& s, value_index value) {
        auto& state = values_[value];
        if (!can_copy(s, value, state.on_device && !state.on_host)) return;
        auto const free = flow_.size(value) > 0 ? available(pool::host) : std::int64_t{};
        auto const end = run_on(lane::offload, std::max(state.ready, free), clock_.transfer_time(flow_.size(value)));
        used_until(state.last_use, end);
        state.host_ready = state.host_last_use = end;
        state.on_host = true;
        bytes_out_ = checked_add(bytes_out_, flow_.size(value), "bytes copied out");
        host_bytes_ = checked_add(host_bytes_, flow_.size(value));
        host_peak_ = std::max(host_peak_, host_bytes_);
        detail::notify_allocate(observer_, step_, {value, state.computations - 1}, pool::host, flow_.size(value));
    }

    void prefetch(step<> const& s, value_index value) {
        auto& state = values_[value];
        if (!can_copy(s, value, state.on_host && !state.on_device)) return;
        auto const free = flow_.size(value) > 0 ? available(pool::device) : std::int64_t{};
        auto const end =
            run_on(lane::prefetch, std::max(state.host_ready, free), clock_.transfer_time(flow_.size(value)));
        used_until(state.host_last_use, end);
        state.ready = state.last_use = end;
        bytes_in_ = checked_add(bytes_in_, flow_.size(value), "bytes copied in");
        put(value, allocate(value, state.computations - 1));
        state.on_device = true;
    }

    [[nodiscard]] auto can_copy(step<> const& s, value_index value, bool placed) -> bool {
        if (flow_.is_view(value))
            fail(rule::copies_owner, s.vertex, "copies a view between pools");
        else if (!placed)
            fail(rule::copies_resident, s.vertex,
                 "copies " + describe(value) + ", which must lie in the pool of departure and not in the other one");
        return !broken_;
    }

    auto allocate(value_index value, std::uint32_t computation) -> storage {
        auto const id = device_.allocate({value, computation}, flow_.size(value));
        detail::notify_allocate(observer_, step_, {value, computation}, pool::device, flow_.size(value), id);
        return id;
    }
    void put(value_index value, storage id) {
        device_.refer(id);
        storage_of_[flow_.owner_start(value)] = id;
    }
    /// Memory of the pool that is let go now is free when all work on it has ended.
    void release(pool where, std::int64_t last_use) {
        if constexpr (overlaps) clock_.release(where, last_use);
    }
    [[nodiscard]] auto available(pool where) const -> std::int64_t {
        if constexpr (overlaps) return clock_.available(where);
        return {};
    }
    static void used_until(std::int64_t& last_use, std::int64_t end) {
        if constexpr (overlaps) last_use = std::max(last_use, end);
    }

    void drop_from_device(value_index value) {
        release(pool::device, values_[value].last_use);
        auto const start = flow_.owner_start(value);
        for (std::size_t k = start; k < start + flow_.owners(value).size(); ++k) {
            auto const id = std::exchange(storage_of_[k], storage_pool::none);
            if (device_.release(id))
                detail::notify_release(observer_, step_, device_.first_instance(id), pool::device, id);
        }
        values_[value].on_device = false;
    }
    void drop_from_host(value_index value) {
        release(pool::host, values_[value].host_last_use);
        host_bytes_ -= flow_.size(value);
        values_[value].on_host = false;
        detail::notify_release(observer_, step_, {value, values_[value].computations - 1}, pool::host);
    }

    /// Nothing, and a broken rule, where there is no such output.
    [[nodiscard]] auto named(operation_index v, std::uint32_t output) -> std::optional<value_index> {
        auto const outputs = flow_.writes(v);
        if (output < outputs.size()) return outputs[output];
        fail(rule::names_exist, v, "has no output " + std::to_string(output));
        return std::nullopt;
    }
    [[nodiscard]] auto result_name(value_index value) const -> std::string {
        auto const [u, j] = flow_.as_output(value);
        return flow_.writes(u).size() == 1 ? "value" : "output " + std::to_string(j);
    }
    [[nodiscard]] auto describe(value_index value) const -> std::string {
        return repebble::detail::describe(flow_, value);
    }
    void fail(rule broken, std::size_t v, std::string const& why) {
        if (!broken_) broken_ = detail::violation_of(broken, step_, v, why);
    }

    dataflow const& flow_;
    Clock clock_;
    Observer& observer_;
    std::vector<std::uint32_t> runs_;  // per operation
    std::vector<value_state> values_;
    std::vector<storage> storage_of_;  // per (value, owner): the storage in the device pool
    std::vector<storage> fresh_, seen_;
    storage_pool device_;
    std::optional<violation> broken_;
    bool begun_ = false;  // a step has run that is no input
    std::size_t step_ = 0;
    std::size_t recomputations_ = 0;
    bytes during_ = 0;
    bytes host_bytes_ = 0;
    bytes host_peak_ = 0;
    bytes bytes_out_ = 0, bytes_in_ = 0;
    std::int64_t computed_until_{};  // where lanes overlap: the end of the last computation
    std::int64_t free_from_{};       // when all work has ended on the storages that this step writes over
    lane_stalls stalls_;
};

}  // namespace repebble::inline v0

#endif
