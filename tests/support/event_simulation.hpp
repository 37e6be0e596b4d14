#ifndef REPEBBLE_TESTS_SUPPORT_EVENT_SIMULATION_HPP
#define REPEBBLE_TESTS_SUPPORT_EVENT_SIMULATION_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/naive_replay.hpp"

namespace support {

/// A device with three queues, first in first out, simulated from one end of work to the next. The head of a queue
/// starts when the work that it waits for has ended. The list of steps says for what: a computation for the copies of
/// what it reads, and whatever takes memory for all work on the values of that pool that were let go before.
class event_simulation {
  public:
    using time = std::int64_t;
    using bytes = repebble::bytes;

    struct work {
        std::size_t step = 0;
        std::size_t queue = 0;
        time duration = 0;
        std::set<std::size_t> after{};  // numbers of works
        time begin = -1;
        time end = -1;
    };

    /// Requires: the schedule is legal.
    event_simulation(repebble::dataflow const& flow, repebble::schedule<> const& plan, repebble::host_link const& via)
        : flow_(flow), via_(via), player_(flow) {
        for (std::size_t i = 0; i < plan.steps.size(); ++i) enqueue(i, plan.steps[i]);
        run();
    }

    std::vector<work> works;  ///< in the order of the list

    [[nodiscard]] auto makespan() const -> time {
        time last = 0;
        for (auto const& w : works) last = std::max(last, w.end);
        return last;
    }

    /// Most bytes of storages and workspaces that are in use at one time. A storage is in use from the begin of the
    /// work that takes it to the last end of work on it; at the end of the list what is left stays.
    [[nodiscard]] auto peak_in_time() const -> bytes {
        std::map<time, bytes> changes;
        for (auto const& [id, works_on] : touches_) {
            time begin = works[works_on.front()].begin, end = 0;
            for (auto const w : works_on) end = std::max(end, works[w].end);
            if (alive_.contains(id)) end = makespan();
            // What has no duration needs no bytes of other times.
            if (begin == end) continue;
            changes[begin] += player_.size_of(id);
            changes[end] -= player_.size_of(id);
        }
        for (auto const& w : works) {
            if (w.queue != 0 || w.begin == w.end) continue;
            changes[w.begin] += workspaces_.at(w.step);
            changes[w.end] -= workspaces_.at(w.step);
        }
        bytes now = 0, most = 0;
        for (auto const& [at, change] : changes) most = std::max(most, now += change);
        return most;
    }

    /// Pairs of works on bytes of one storage of which one writes it, the one that the list has first before the other.
    /// A value of no bytes may lie in a storage that has some: work on it is work on none of them.
    [[nodiscard]] auto conflicts() const -> std::vector<std::pair<work const*, work const*>> {
        std::vector<std::pair<work const*, work const*>> all;
        for (auto const& [id, works_on] : touches_)
            for (std::size_t i = 0; i < works_on.size(); ++i)
                for (std::size_t j = i + 1; j < works_on.size(); ++j) {
                    std::pair const first(works_on[i], id), second(works_on[j], id);
                    if ((writes_.contains(first) && (reads_.contains(second) || writes_.contains(second))) ||
                        (reads_.contains(first) && writes_.contains(second)))
                        all.emplace_back(&works[first.first], &works[second.first]);
                }
        return all;
    }
    /// Whether some work on a storage begins before earlier work has written it, or writes it while earlier work lasts.
    [[nodiscard]] auto has_race() const -> bool {
        return std::ranges::any_of(conflicts(), [](auto const& c) { return c.second->begin < c.first->end; });
    }

  private:
    using value = repebble::value_index;
    using storage = naive_player::storage;

    void enqueue(std::size_t i, repebble::step<> const& s) {
        auto const before = player_.device;
        auto const host_before = player_.host;
        if (player_.play(s)) throw std::logic_error("event_simulation: an illegal step");
        auto const& after = player_.device;
        if (s.what == repebble::action::compute) {
            auto const me = add(i, 0, flow_.time(s.vertex));
            workspaces_[i] = flow_.workspace(s.vertex);
            bool takes = flow_.workspace(s.vertex) > 0;
            for (auto const x : flow_.reads(s.vertex)) wait_for(me, filled_[x]);
            // What this step writes over: all work on it must have ended.
            for (auto const& [x, where] : before)
                for (auto const& [owner, id] : where)
                    if (is_overwritten(s, id, after)) {
                        wait_for(me, used_[x]);
                        touch(me, id);
                    }
            for (auto const x : flow_.reads(s.vertex))
                for (auto const& [owner, id] : before.at(x)) touch(me, id, flow_.size(owner));
            for (auto const x : flow_.writes(s.vertex)) {
                takes = takes || (!flow_.is_view(x) && flow_.size(x) > 0);
                if (!flow_.is_view(x)) touch(me, after.at(x).begin()->second, 0, flow_.size(x));
            }
            if (takes) wait_for(me, let_go_[0]);
            for (auto const x : flow_.reads(s.vertex)) used_[x].insert(me);
            for (auto const x : flow_.writes(s.vertex)) {
                used_[x].insert(me);
                // An older instance is let go unless the step wrote over it.
                if (before.contains(x) && !is_overwritten(s, before.at(x).begin()->second, after)) let_go(0, used_[x]);
                host_used_[x].insert(me);
                if (host_before.contains(x)) let_go(1, host_used_[x]);
                filled_[x] = {me};
                used_[x] = {me};
                host_used_[x].clear();
            }
            if (flow_.workspace(s.vertex) > 0) let_go_[0].insert(me);
        } else {
            auto const x = flow_.writes(s.vertex)[s.output];
            if (s.what == repebble::action::discard) {
                bool const device = s.from == repebble::pool::device;
                let_go(device ? 0 : 1, device ? used_[x] : host_used_[x]);
            } else if (s.what == repebble::action::offload) {
                auto const me = add(i, 1, via_.copy_time(flow_.size(x)));
                wait_for(me, filled_[x]);
                if (flow_.size(x) > 0) wait_for(me, let_go_[1]);
                touch(me, after.at(x).begin()->second, flow_.size(x));
                used_[x].insert(me);
                host_filled_[x] = host_used_[x] = {me};
            } else {
                auto const me = add(i, via_.half_duplex ? 1 : 2, via_.copy_time(flow_.size(x)));
                wait_for(me, host_filled_[x]);
                if (flow_.size(x) > 0) wait_for(me, let_go_[0]);
                touch(me, after.at(x).begin()->second, 0, flow_.size(x));
                host_used_[x].insert(me);
                filled_[x] = used_[x] = {me};
            }
        }
        alive_.clear();
        for (auto const& [x, where] : after)
            for (auto const& [owner, id] : where) alive_.insert(id);
    }
    /// Whether an output of the step lies in the storage that was there before.
    [[nodiscard]] auto is_overwritten(repebble::step<> const& s, storage id, auto const& after) const -> bool {
        for (auto const x : flow_.writes(s.vertex))
            if (!flow_.is_view(x) && after.at(x).begin()->second == id) return true;
        return false;
    }

    auto add(std::size_t step, std::size_t queue, time duration) -> std::size_t {
        works.push_back({step, queue, duration});
        return works.size() - 1;
    }
    void wait_for(std::size_t w, std::set<std::size_t> const& others) {
        works[w].after.insert(others.begin(), others.end());
        works[w].after.erase(w);
    }
    void let_go(std::size_t pool, std::set<std::size_t> const& works_on_it) {
        let_go_[pool].insert(works_on_it.begin(), works_on_it.end());
    }
    /// The work uses the storage, and reads or writes so many of its bytes.
    void touch(std::size_t w, storage id, bytes read = 0, bytes written = 0) {
        auto& works_on = touches_[id];
        if (works_on.empty() || works_on.back() != w) works_on.push_back(w);
        if (read > 0) reads_.insert({w, id});
        if (written > 0) writes_.insert({w, id});
    }

    void run() {
        std::array<std::vector<std::size_t>, 3> queues;
        for (std::size_t w = 0; w < works.size(); ++w) queues[works[w].queue].push_back(w);
        std::array<std::size_t, 3> heads{};
        std::array<time, 3> idle_from{};
        for (time now = 0;;) {
            for (bool progress = true; progress;) {
                progress = false;
                for (std::size_t q = 0; q < 3; ++q) {
                    if (heads[q] == queues[q].size() || idle_from[q] > now) continue;
                    auto& w = works[queues[q][heads[q]]];
                    auto const ended = [&](std::size_t other) {
                        return works[other].end >= 0 && works[other].end <= now;
                    };
                    if (!std::ranges::all_of(w.after, ended)) continue;
                    w.begin = now;
                    idle_from[q] = w.end = now + w.duration;
                    ++heads[q];
                    progress = true;
                }
            }
            std::optional<time> next;
            for (auto const& w : works)
                if (w.end > now) next = std::min(next.value_or(w.end), w.end);
            if (!next) break;
            now = *next;
        }
        for (auto const& w : works)
            if (w.end < 0) throw std::logic_error("event_simulation: some work never starts");
    }

    repebble::dataflow const& flow_;
    repebble::host_link via_;
    naive_player player_;
    std::map<value, std::set<std::size_t>> filled_, used_, host_filled_, host_used_;
    std::array<std::set<std::size_t>, 2> let_go_;
    std::map<storage, std::vector<std::size_t>> touches_;
    std::set<std::pair<std::size_t, storage>> reads_, writes_;
    std::map<std::size_t, bytes> workspaces_;
    std::set<storage> alive_;
};

}  // namespace support

#endif
