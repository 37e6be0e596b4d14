#ifndef REPEBBLE_TESTS_SUPPORT_NAIVE_REPLAY_HPP
#define REPEBBLE_TESTS_SUPPORT_NAIVE_REPLAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/violation.hpp>

namespace support {

/// A map of a few keys in one block, which is copied fast.
template <class Key, class T>
class small_map {
  public:
    [[nodiscard]] auto begin() const { return entries_.begin(); }
    [[nodiscard]] auto end() const { return entries_.end(); }
    [[nodiscard]] auto size() const { return entries_.size(); }
    [[nodiscard]] auto contains(Key const& key) const -> bool { return find(key) != entries_.end(); }
    [[nodiscard]] auto at(Key const& key) const -> T const& {
        auto const found = find(key);
        if (found == entries_.end()) throw std::out_of_range("small_map: no such key");
        return found->second;
    }
    auto operator[](Key const& key) -> T& {
        auto const found = std::ranges::lower_bound(entries_, key, {}, &std::pair<Key, T>::first);
        if (found != entries_.end() && found->first == key) return found->second;
        return entries_.insert(found, {key, T{}})->second;
    }
    auto erase(Key const& key) -> std::size_t {
        return std::erase_if(entries_, [&](auto const& entry) { return entry.first == key; });
    }

  private:
    [[nodiscard]] auto find(Key const& key) const {
        return std::ranges::find(entries_, key, &std::pair<Key, T>::first);
    }
    std::vector<std::pair<Key, T>> entries_;  // ascending
};

/// An independent implementation of the pebble game, as simple as its rules: nothing is maintained incrementally, all
/// bytes are summed anew after every step over all resident values.
class naive_player {
  public:
    using bytes = repebble::bytes;
    using rule = repebble::rule;
    using value = repebble::value_index;
    using operation = repebble::operation_index;
    using broken = std::optional<rule>;

    explicit naive_player(repebble::dataflow const& flow, std::int64_t time_per_byte = 0)
        : runs(flow.operation_count(), 0),
          computations(flow.value_count(), 0),
          flow_(&flow),
          time_per_byte_(time_per_byte) {}

    /// Plays a step. Returns the rule that it breaks, if any; the state has not changed then.
    auto play(repebble::step<> const& s) -> broken {
        if (s.vertex >= flow_->operation_count()) return rule::names_exist;
        bool const is_input = s.what == repebble::action::compute && flow_->is_input(s.vertex);
        if (!is_input && !inputs_present()) return rule::inputs_first;
        bytes const before = device_bytes();
        auto const fault = s.what == repebble::action::compute ? compute(s) : move(s);
        if (!fault && s.what != repebble::action::compute) profile.push_back(std::max(before, device_bytes()));
        return fault;
    }

    /// The rule about the end of a schedule that is broken, if any.
    [[nodiscard]] auto finish(std::vector<value> const& resident_at_end = {}) const -> broken {
        if (!inputs_present()) return rule::inputs_first;
        for (value const x : flow_->results())
            if (!device.contains(x)) return rule::complete;
        for (value const x : resident_at_end)
            if (!device.contains(x)) return rule::complete;
        if (!resident_at_end.empty()) return {};
        for (operation v = 0; v < flow_->operation_count(); ++v) {
            bool done = runs[v] > 0 || !flow_->writes(v).empty();
            bool read = false;
            for (value const x : flow_->writes(v)) {
                done = done && (runs[v] > 0 || computations[x] > 0);
                read = read || !flow_->readers(x).empty();
            }
            if (!done && !read) return rule::complete;
        }
        return {};
    }

    [[nodiscard]] auto device_bytes() const -> bytes { return bytes_of(device); }
    [[nodiscard]] auto host_bytes() const -> bytes {
        bytes sum = 0;
        for (value const x : host) sum += flow_->size(x);
        return sum;
    }

    using storage = int;
    [[nodiscard]] auto size_of(storage s) const -> bytes { return sizes_[static_cast<std::size_t>(s)]; }
    /// Of the storage of a resident value that lies in one.
    [[nodiscard]] auto storage_bytes(value x) const -> bytes { return size_of(device.at(x).begin()->second); }

    using placement = small_map<value, storage>;  // which storage of each owner
    small_map<value, placement> device;           // every resident value: the storages of its owners
    std::set<value> host;
    std::vector<std::uint32_t> runs;          // per operation
    std::vector<std::uint32_t> computations;  // per value
    std::int64_t time = 0;
    bytes host_peak = 0;
    std::vector<bytes> profile;

  private:
    [[nodiscard]] auto inputs_present() const -> bool {
        for (operation v = 0; v < flow_->operation_count(); ++v)
            if (flow_->is_input(v) && runs[v] == 0) return false;
        return true;
    }

    auto compute(repebble::step<> const& s) -> broken {
        auto const v = s.vertex;
        if (s.repetition != runs[v]) return rule::repetition_counts;
        if (runs[v] > 0 && !flow_->recomputable(v)) return rule::runs_once;
        for (value const x : flow_->reads(v))
            if (!device.contains(x)) return rule::reads_resident;
        for (operation const u : flow_->control_predecessors(v))
            if (runs[u] == 0) return rule::control_order;
        if (s.in_place)
            if (auto const fault = overwrite_fault(s)) return fault;
        for (auto const& m : flow_->mutations(v))
            if (auto const fault = mutation_fault(s, m)) return fault;

        auto after = device;
        auto during = device;
        if (s.in_place) after.erase(named(s.over, s.over_output));
        for (auto const& m : flow_->mutations(v))
            for (value const x : names_in(mutated_storage(m))) after.erase(x);
        for (value const x : flow_->writes(v)) {
            placement where;
            if (flow_->is_view(x)) {
                for (value const owner : flow_->owners(x)) where[owner] = seen_from(v, owner);
            } else if (s.in_place && x == named(v, s.output)) {
                where[x] = device.at(named(s.over, s.over_output)).begin()->second;
            } else if (auto const* const m = mutation_that_writes(v, x)) {
                where[x] = mutated_storage(*m);
            } else {
                where[x] = static_cast<storage>(sizes_.size());
                sizes_.push_back(flow_->size(x));
            }
            after[x] = where;
            during[all_values() + x] = where;  // beside an older instance
            host.erase(x);
            ++computations[x];
        }
        profile.push_back(bytes_of(during) + flow_->workspace(v));
        device = after;
        ++runs[v];
        time += flow_->time(v);
        return {};
    }

    auto move(repebble::step<> const& s) -> broken {
        if (s.output >= flow_->writes(s.vertex).size()) return rule::names_exist;
        value const x = named(s.vertex, s.output);
        bool const here = device.contains(x);
        bool const there = host.contains(x);
        if (computations[x] == 0 || s.repetition != computations[x] - 1) return rule::repetition_counts;
        if (s.what == repebble::action::discard) {
            if (s.from == repebble::pool::device ? !here : !there) return rule::discards_resident;
            if (s.from == repebble::pool::device) device.erase(x);
            if (s.from == repebble::pool::host) host.erase(x);
            return {};
        }
        if (flow_->is_view(x)) return rule::copies_owner;
        if (here == there || here != (s.what == repebble::action::offload)) return rule::copies_resident;
        time += time_per_byte_ * flow_->size(x);
        if (here) {
            host.insert(x);
            host_peak = std::max(host_peak, host_bytes());
        } else {
            device[x][x] = static_cast<storage>(sizes_.size());
            sizes_.push_back(flow_->size(x));
        }
        return {};
    }

    /// Output `output` of v takes over the storage of `over`, which must have no other value.
    [[nodiscard]] auto overwrite_fault(repebble::step<> const& s) const -> broken {
        if (s.over >= flow_->operation_count() || s.output >= flow_->writes(s.vertex).size() ||
            s.over_output >= flow_->writes(s.over).size())
            return rule::names_exist;
        value const output = named(s.vertex, s.output);
        value const over = named(s.over, s.over_output);
        if (flow_->is_view(output) || over == output || !device.contains(over) || device.at(over).size() != 1)
            return rule::overwrites_last;
        storage const target = device.at(over).begin()->second;
        for (auto const& [other, where] : device)
            for (auto const& [owner, lies_in] : where)
                if (other != over && lies_in == target) return rule::overwrites_last;
        for (value const x : flow_->writes(s.vertex))
            for (value const owner : flow_->owners(x))
                if (flow_->is_view(x) && seen_from(s.vertex, owner) == target) return rule::overwrites_last;
        if (flow_->size(output) > size_of(target)) return rule::overwrite_fits;
        return {};
    }

    /// What v mutates must lie in one storage, whose names all are read by v, and name nothing else.
    [[nodiscard]] auto mutation_fault(repebble::step<> const& s, repebble::overwrite const& m) const -> broken {
        if (device.at(m.over).size() != 1) return rule::overwrites_last;
        storage const target = mutated_storage(m);
        for (value const x : names_in(target)) {
            if (std::ranges::count(flow_->reads(s.vertex), x) == 0) return rule::overwrites_last;
            if (device.at(x).size() != 1) return rule::overwrites_last;
        }
        for (auto const& other : flow_->mutations(s.vertex))
            if (other != m && mutated_storage(other) == target) return rule::overwrites_last;
        if (s.in_place && s.output == m.output) return rule::overwrites_last;
        if (s.in_place && device.at(named(s.over, s.over_output)).begin()->second == target)
            return rule::overwrites_last;
        if (flow_->size(named(s.vertex, m.output)) > size_of(target)) return rule::overwrite_fits;
        return {};
    }
    [[nodiscard]] auto mutated_storage(repebble::overwrite const& m) const -> storage {
        return device.at(m.over).begin()->second;
    }
    [[nodiscard]] auto mutation_that_writes(operation v, value x) const -> repebble::overwrite const* {
        for (auto const& m : flow_->mutations(v))
            if (named(v, m.output) == x) return &m;
        return nullptr;
    }
    /// The resident values that lie in the storage.
    [[nodiscard]] auto names_in(storage target) const -> std::vector<value> {
        std::vector<value> names;
        for (auto const& [x, where] : device)
            for (auto const& [owner, lies_in] : where)
                if (lies_in == target) names.push_back(x);
        return names;
    }

    /// The storage of `owner` as v reads it: through the owner itself if v reads it, else through the least view.
    [[nodiscard]] auto seen_from(operation v, value owner) const -> storage {
        auto const& reads = flow_->reads(v);
        if (std::ranges::count(reads, owner) > 0) return device.at(owner).at(owner);
        for (value const x : reads)
            if (device.at(x).contains(owner)) return device.at(x).at(owner);
        return -1;
    }

    [[nodiscard]] auto bytes_of(small_map<value, placement> const& resident) const -> bytes {
        std::vector<storage> alive;
        for (auto const& [x, where] : resident)
            for (auto const& [owner, lies_in] : where) alive.push_back(lies_in);
        std::ranges::sort(alive);
        alive.erase(std::ranges::unique(alive).begin(), alive.end());
        bytes sum = 0;
        for (storage const s : alive) sum += size_of(s);
        return sum;
    }
    [[nodiscard]] auto named(operation v, std::uint32_t j) const -> value { return flow_->writes(v)[j]; }
    [[nodiscard]] auto all_values() const -> value { return static_cast<value>(flow_->value_count()); }

    repebble::dataflow const* flow_;
    std::int64_t time_per_byte_;
    std::vector<bytes> sizes_;  // of every storage that ever was
};

/// The producers of x that can run before all that read it: what runs is added until nothing changes.
[[nodiscard]] inline auto naive_first_makers(repebble::dataflow const& flow, std::size_t x) -> std::set<std::size_t> {
    if (flow.producers(x).size() == 1) return {flow.producers(x).front()};
    std::set<std::size_t> ran, made, makers;
    for (std::size_t round = 0; round < flow.operation_count(); ++round)
        for (std::size_t v = 0; v < flow.operation_count(); ++v) {
            auto const& before = flow.control_predecessors(v);
            auto const& reads = flow.reads(v);
            if (!std::ranges::all_of(before, [&](auto const u) { return ran.contains(u); }) ||
                !std::ranges::all_of(reads, [&](auto const y) { return y != x && made.contains(y); }))
                continue;
            ran.insert(v);
            made.insert(flow.writes(v).begin(), flow.writes(v).end());
        }
    for (auto const u : flow.producers(x))
        if (ran.contains(u)) makers.insert(u);
    return makers;
}

/// What every schedule runs, by rules that are applied until nothing changes: the needed operations and values.
struct naive_needs {
    std::set<std::size_t> operations{}, values{};

    explicit naive_needs(repebble::dataflow const& flow) {
        for (auto const x : flow.results()) values.insert(x);
        for (std::size_t v = 0; v < flow.operation_count(); ++v)
            if (flow.is_sink(v)) {
                values.insert(flow.writes(v).begin(), flow.writes(v).end());
                if (flow.writes(v).empty()) operations.insert(v);
            }
        for (std::size_t before = 0; before != operations.size() + values.size();) {
            before = operations.size() + values.size();
            for (auto const v : std::set(operations)) {
                values.insert(flow.reads(v).begin(), flow.reads(v).end());
                operations.insert(flow.control_predecessors(v).begin(), flow.control_predecessors(v).end());
            }
            for (auto const x : std::set(values)) {
                values.insert(flow.owners(x).begin(), flow.owners(x).end());
                auto const makers = naive_first_makers(flow, x);
                if (makers.size() == 1) operations.insert(*makers.begin());
                for (std::size_t y = 0; y < flow.value_count(); ++y)
                    if (std::ranges::all_of(makers, [&](auto const v) {
                            return std::ranges::find(flow.reads(v), y) != flow.reads(v).end();
                        }))
                        values.insert(y);
            }
        }
    }
};

/// The times of the needed operations, and of each other group of alternatives the fastest maker of a needed value.
[[nodiscard]] inline auto naive_time_once(repebble::dataflow const& flow) -> std::int64_t {
    naive_needs const needs(flow);
    std::vector<std::size_t> group(flow.operation_count());
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (std::size_t round = 0; round < group.size(); ++round)
        for (std::size_t x = 0; x < flow.value_count(); ++x)
            for (auto const u : flow.producers(x))
                for (auto const v : flow.producers(x)) group[u] = std::min(group[u], group[v]);
    std::int64_t sum = 0;
    std::set<std::size_t> served;
    for (auto const v : needs.operations) {
        sum += flow.time(v);
        served.insert(group[v]);
    }
    std::map<std::size_t, std::int64_t> slowest;
    for (auto const x : needs.values) {
        auto const makers = naive_first_makers(flow, x);
        auto const of_group = group[*makers.begin()];
        if (served.contains(of_group)) continue;
        std::int64_t fastest = flow.time(*makers.begin());
        for (auto const v : makers) fastest = std::min(fastest, flow.time(v));
        auto& time = slowest[of_group];
        time = std::max(time, fastest);
    }
    for (auto const& [of_group, time] : slowest) sum += time;
    return sum;
}

/// The naive player's result for a schedule: the figures up to the first step that breaks a rule.
struct naive_verdict {
    std::optional<std::size_t> broken_step;  ///< the number of steps where the schedule is incomplete
    std::int64_t time = 0;
    std::int64_t overhead = 0;
    repebble::bytes peak = 0;
    repebble::bytes host_peak = 0;
    std::size_t recomputations = 0;
    std::vector<repebble::bytes> profile;
};

[[nodiscard]] inline auto naive_replay(repebble::dataflow const& flow, repebble::schedule<> const& plan,
                                       std::vector<repebble::value_index> const& resident_at_end = {},
                                       std::int64_t time_per_byte = 0) -> naive_verdict {
    naive_player player(flow, time_per_byte);
    naive_verdict out;
    std::size_t played = 0;
    while (played < plan.steps.size() && !player.play(plan.steps[played])) ++played;
    if (played < plan.steps.size() || player.finish(resident_at_end)) out.broken_step = played;
    out.time = player.time;
    out.overhead = player.time - naive_time_once(flow);
    out.host_peak = player.host_peak;
    out.profile = player.profile;
    for (auto const b : out.profile) out.peak = std::max(out.peak, b);
    for (auto const r : player.runs) out.recomputations += r > 1 ? r - 1 : 0;
    return out;
}

}  // namespace support

#endif
