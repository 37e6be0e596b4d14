#ifndef REPEBBLE_TESTS_SUPPORT_STEP_PROGRAM_HPP
#define REPEBBLE_TESTS_SUPPORT_STEP_PROGRAM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/csr_graph.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/generators.hpp"
#include "support/naive_replay.hpp"

namespace support {

/// The reads and writes of the steps of a legal schedule, by the naive player's rules: a program that can be run in any
/// order and with any placement of its buffers. Every step hashes all bytes that it reads and fills its outputs from
/// that hash.
class step_program {
  public:
    step_program(repebble::dataflow const& flow, repebble::schedule<> const& plan)
        : found_(repebble::find_lifetimes(flow, plan)), steps_(plan.steps.size()) {
        std::vector<std::size_t> storages;  // buffers of the storages in the order in which they begin
        std::map<std::pair<repebble::operation_index, std::uint32_t>, std::size_t> workspaces;
        for (std::size_t b = 0; b < found_.uses.size(); ++b) {
            auto const& use = found_.uses[b];
            if (use.what == repebble::buffer_use::kind::storage)
                storages.push_back(b);
            else
                workspaces[{use.operation, use.repetition}] = b;
        }
        naive_player player(flow);
        std::map<repebble::value_index, std::size_t> offloaded;
        auto const lies_in = [&](repebble::value_index x, auto& buffers) {
            for (auto const& [owner, storage] : player.device.at(x))
                buffers.push_back(storages.at(static_cast<std::size_t>(storage)));
        };
        for (std::size_t k = 0; k < plan.steps.size(); ++k) {
            auto const& s = plan.steps[k];
            auto& step = steps_[k];
            auto const value = s.what == repebble::action::compute ? 0 : flow.writes(s.vertex)[s.output];
            if (s.what == repebble::action::compute) {
                for (auto const x : flow.reads(s.vertex)) lies_in(x, step.reads);
                auto const workspace = workspaces.find({s.vertex, s.repetition});
                if (workspace != workspaces.end()) step.workspace.push_back(workspace->second);
            }
            if (s.what == repebble::action::offload) {
                lies_in(value, step.reads);
                offloaded[value] = k;
            }
            if (s.what == repebble::action::prefetch) step.fetched_from.push_back(offloaded.at(value));
            static_cast<void>(player.play(s));
            if (s.what == repebble::action::compute)
                for (auto const x : flow.writes(s.vertex))
                    if (!flow.is_view(x)) lies_in(x, step.writes);
            if (s.what == repebble::action::prefetch) lies_in(value, step.writes);
        }
    }

    [[nodiscard]] auto buffers() const -> std::vector<repebble::buffer> const& { return found_.buffers; }

    /// Hashes of the steps' inputs, and of the buffers that are live at the end.
    struct memory {
        std::vector<unsigned char> arena;
        std::vector<std::uint64_t> hashes;
    };
    [[nodiscard]] auto empty_memory(std::span<repebble::bytes const> offsets) const -> memory {
        repebble::bytes end = 1;
        for (std::size_t b = 0; b < offsets.size(); ++b) end = std::max(end, offsets[b] + buffers()[b].size);
        return {std::vector<unsigned char>(static_cast<std::size_t>(end)), std::vector<std::uint64_t>(steps_.size())};
    }
    /// Accesses its part of the arena and its own hash only, and the hash of the step from which it fetches.
    void run_step(std::size_t k, memory& m, std::span<repebble::bytes const> offsets) const {
        auto const& step = steps_[k];
        auto hash = 0x9e3779b97f4a7c15ULL * (k + 1);
        for (auto const b : step.workspace) fill(b, hash, m, offsets);
        auto const expected = hash_of(step.workspace, hash, m, offsets);
        for (auto const from : step.fetched_from) hash ^= m.hashes[from];
        hash = hash_of(step.reads, hash, m, offsets);
        for (auto const b : step.writes) fill(b, hash + b, m, offsets);
        auto const start = 0x9e3779b97f4a7c15ULL * (k + 1);
        m.hashes[k] = hash_of(step.workspace, start, m, offsets) == expected ? hash : 0;
    }
    /// Runs all steps and returns the hashes, and one of each buffer that is live at the end.
    template <class Order>
    [[nodiscard]] auto run(Order const& order, std::span<repebble::bytes const> offsets) const
        -> std::vector<std::uint64_t> {
        auto m = empty_memory(offsets);
        for (auto const k : order) run_step(k, m, offsets);
        return outcome(std::move(m), offsets);
    }
    [[nodiscard]] auto outcome(memory m, std::span<repebble::bytes const> offsets) const -> std::vector<std::uint64_t> {
        for (std::size_t b = 0; b < buffers().size(); ++b) {
            if (found_.uses[b].what == repebble::buffer_use::kind::workspace) continue;
            if (buffers()[b].lifetime.upper == static_cast<std::int64_t>(steps_.size()) && buffers()[b].size > 0)
                m.hashes.push_back(hash_of(std::vector{b}, b, m, offsets));
        }
        return std::move(m.hashes);
    }
    /// The reference: one step after the other, every buffer by itself.
    [[nodiscard]] auto reference() const -> std::vector<std::uint64_t> {
        std::vector<repebble::bytes> offsets{0};
        std::vector<std::size_t> order;
        for (auto const& b : buffers()) offsets.push_back(offsets.back() + b.size);
        for (std::size_t k = 0; k < steps_.size(); ++k) order.push_back(k);
        offsets.pop_back();
        return run(order, offsets);
    }

  private:
    struct work {
        std::vector<std::size_t> reads, writes, workspace;  // buffers
        std::vector<std::size_t> fetched_from;              // steps that offloaded
    };

    void fill(std::size_t b, std::uint64_t hash, memory& m, std::span<repebble::bytes const> offsets) const {
        for (repebble::bytes j = 0; j < buffers()[b].size; ++j)
            m.arena[static_cast<std::size_t>(offsets[b] + j)] = static_cast<unsigned char>(hash >> (j % 8 * 8));
    }
    [[nodiscard]] auto hash_of(std::vector<std::size_t> const& read, std::uint64_t hash, memory const& m,
                               std::span<repebble::bytes const> offsets) const -> std::uint64_t {
        for (auto const b : read)
            for (repebble::bytes j = 0; j < buffers()[b].size; ++j)
                hash = (hash ^ m.arena[static_cast<std::size_t>(offsets[b] + j)]) * 0x100000001b3ULL;
        return hash;
    }

    repebble::schedule_lifetimes found_;
    std::vector<work> steps_;
};

/// The steps in a random order that the edges allow.
[[nodiscard]] inline auto random_order(split_mix& random, repebble::csr_graph const& g,
                                       std::vector<repebble::csr_graph::edge> const& more) -> std::vector<std::size_t> {
    std::vector<std::size_t> waiting(g.vertex_count()), order, ready;
    std::vector<std::vector<std::size_t>> next(g.vertex_count());
    for (std::size_t s = 0; s < g.vertex_count(); ++s)
        for (auto const t : g.successors(s)) next[s].push_back(t);
    for (auto const& [s, t] : more) next[s].push_back(t);
    for (auto const& row : next)
        for (auto const t : row) ++waiting[t];
    for (std::size_t s = 0; s < waiting.size(); ++s)
        if (waiting[s] == 0) ready.push_back(s);
    while (!ready.empty()) {
        std::swap(ready[below(random, ready.size())], ready.back());
        auto const s = ready.back();
        ready.pop_back();
        order.push_back(s);
        for (auto const t : next[s])
            if (--waiting[t] == 0) ready.push_back(t);
    }
    return order;
}

}  // namespace support

#endif
