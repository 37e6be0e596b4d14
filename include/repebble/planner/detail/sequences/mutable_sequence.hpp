#ifndef REPEBBLE_PLANNER_DETAIL_SEQUENCES_MUTABLE_SEQUENCE_HPP
#define REPEBBLE_PLANNER_DETAIL_SEQUENCES_MUTABLE_SEQUENCE_HPP

// A sequence of operations under local changes: insertion, removal and shift of a step, each undone by its inverse,
// with time, memory profile and use-def links kept up to date. The annealer's neighbourhood edits it. Invariant: every
// reader reads the last computation of its input before it, so links are a function of the sequence alone.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>
#include <repebble/planner/detail/sequences/memory_profile.hpp>
#include <repebble/planner/detail/sequences/step_links.hpp>

namespace repebble::inline v0::detail {

/// A sequence of operations under change, with its time and its resident bytes by liveness (`sequence_loads`). A run of
/// an operation is called a step and keeps its number until it is removed. Refers to the model, which must outlive it.
class mutable_sequence {
  public:
    using step_id = memory_profile::node;
    static constexpr step_id none = memory_profile::none;

    mutable_sequence(planning_model const& m, bytes budget)
        : model_(&m),
          profile_(budget),
          steps_(m),
          producers_(m.value_count()),
          runs_(m.operation_count(), 0),
          in_place_(m.overwritable.item_count() > 0) {}
    /// Requires: every step comes after producers of its inputs.
    mutable_sequence(planning_model const& m, std::span<operation_index const> sequence,
                     bytes budget = std::numeric_limits<bytes>::max() / 2)
        : mutable_sequence(m, budget) {
        auto const resident = sequence_loads(m, sequence);
        for (std::size_t at = 0; at < resident.size(); ++at) append(sequence[at], resident[at]);
        if (in_place_)
            for (step_id i = 0; i < resident.size(); ++i) spared_[i] = spared_by(i);
    }

    [[nodiscard]] auto size() const noexcept -> std::size_t { return profile_.size(); }
    [[nodiscard]] auto time() const noexcept -> std::int64_t { return time_; }
    [[nodiscard]] auto peak() const -> bytes { return profile_.peak(); }
    /// Sum over all steps of the bytes beyond the budget.
    [[nodiscard]] auto excess() const -> bytes { return profile_.excess(); }
    [[nodiscard]] auto peak_step() const -> step_id { return profile_.peak_step(); }
    [[nodiscard]] auto resident_bytes(step_id i) const -> bytes { return profile_.resident_bytes(i); }
    [[nodiscard]] auto operation(step_id i) const -> operation_index { return steps_[i].operation; }
    [[nodiscard]] auto contains(step_id i) const -> bool { return i < steps_.size() && profile_.contains(i); }
    [[nodiscard]] auto first() const -> step_id { return profile_.first(); }
    [[nodiscard]] auto next(step_id i) const -> step_id { return profile_.next(i); }
    [[nodiscard]] auto previous(step_id i) const -> step_id { return profile_.previous(i); }
    [[nodiscard]] auto before(step_id i, step_id j) const -> bool {
        return profile_.position(i) < profile_.position(j);
    }
    /// Exclusive limit of the numbers of steps.
    [[nodiscard]] auto step_limit() const noexcept -> std::size_t { return steps_.size(); }

    /// The step that computed the k-th input of step i.
    [[nodiscard]] auto source(step_id i, std::size_t k) const -> step_id { return steps_[i].sources[k]; }
    /// The readers of output j of step i, in no order; and the last of them, or i where there is none.
    [[nodiscard]] auto readers(step_id i, std::size_t j) const -> std::span<step_id const> {
        return steps_[i].outputs[j].readers;
    }
    [[nodiscard]] auto last_use(step_id i, std::size_t j) const -> step_id { return steps_[i].outputs[j].last; }
    /// Index of value x among the outputs of its producer v.
    [[nodiscard]] auto output_number(operation_index v, value_index x) const -> std::size_t {
        return steps_.output_number(v, x);
    }
    /// The steps that compute the value, in the order of the sequence.
    [[nodiscard]] auto producers(value_index x) const -> std::span<step_id const> { return producers_[x]; }
    /// The last use before step i of its k-th input: another reader of the same computation, or that computation.
    [[nodiscard]] auto previous_use(step_id i, std::size_t k) const -> step_id {
        auto const x = model_->reads[steps_[i].operation][k];
        auto const source = steps_[i].sources[k];
        return last_reader(profile_, steps_.output_of(source, x), source, i);
    }

    /// Inserts a run of v before step `before` (none: at the end).  Requires: its inputs are computed before that.
    auto insert(operation_index v, step_id before) -> step_id {
        auto const i = new_step(v);
        place(i, before);
        auto const writes = model_->writes[v];
        for (std::size_t j = 0; j < writes.size(); ++j) adopt_readers(i, j, writes[j]);
        attach_reads(i);
        touch(i);
        settle();
        time_ += model_->operations[v].time;
        ++runs_[v];
        return i;
    }

    /// Whether the sequence without step i still computes all that is required.
    [[nodiscard]] auto is_removable(step_id i) const -> bool {
        auto const v = steps_[i].operation;
        if (runs_[v] == 1 && must_run(v)) return false;
        auto const writes = model_->writes[v];
        for (std::size_t j = 0; j < writes.size(); ++j) {
            if (producers_[writes[j]].front() == i && !steps_[i].outputs[j].readers.empty()) return false;
            // It may be the only computation of a result that a sink computes, too.
            bool const may_be_result = model_->readers[writes[j]].empty() && model_->producers[writes[j]].size() > 1;
            if (may_be_result && producers_[writes[j]].size() == 1) return false;
        }
        return true;
    }
    /// Requires: is_removable(i).
    void remove(step_id i) {
        auto const v = steps_[i].operation;
        detach_reads(i);
        auto const writes = model_->writes[v];
        for (std::size_t j = 0; j < writes.size(); ++j) return_readers(i, j, writes[j]);
        erase(i);
        settle();
        steps_.remove(i);
        time_ -= model_->operations[v].time;
        --runs_[v];
    }

    /// Moves step i before step `to` (none: at the end).  Requires: no other step changes the computation that it reads
    /// (`may_shift`).
    void shift(step_id i, step_id to) {
        detach_reads(i);
        auto& me = steps_[i];
        auto const writes = model_->writes[me.operation];
        for (std::size_t j = 0; j < writes.size(); ++j)
            if (me.outputs[j].last != i) profile_.add(profile_.next(i), me.outputs[j].last, -model_->sizes[writes[j]]);
        erase(i);
        place(i, to);
        for (std::size_t j = 0; j < writes.size(); ++j)
            if (me.outputs[j].last != i) profile_.add(profile_.next(i), me.outputs[j].last, model_->sizes[writes[j]]);
        attach_reads(i);
        touch(i);
        settle();
    }

    [[nodiscard]] auto operations() const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        all.reserve(size());
        for (auto i = first(); i != none; i = next(i)) all.push_back(steps_[i].operation);
        return all;
    }

  private:
    /// Sinks, but for those all of whose values others may compute.
    [[nodiscard]] auto must_run(operation_index v) const -> bool {
        auto const writes = model_->writes[v];
        return std::ranges::all_of(writes, [&](auto const x) { return model_->readers[x].empty(); }) &&
               (writes.empty() ||
                std::ranges::any_of(writes, [&](auto x) { return model_->producers[x].size() == 1; }));
    }
    auto new_step(operation_index v) -> step_id {
        auto const i = steps_.add(v);
        profile_.reserve_nodes(steps_.size());
        if (in_place_ && steps_.size() > spared_.size()) spared_.resize(steps_.size(), 0);
        return i;
    }
    /// Appends a step whose resident bytes are known.
    void append(operation_index v, bytes resident) {
        auto const i = new_step(v);
        profile_.insert(i, none, resident);
        auto& me = steps_[i];
        for (std::size_t j = 0; j < me.outputs.size(); ++j) {
            me.outputs[j].last = i;
            producers_[model_->writes[v][j]].push_back(i);
        }
        for (std::size_t k = 0; k < me.sources.size(); ++k) {
            auto const x = model_->reads[v][k];
            auto const source = me.sources[k] = producers_[x].back();
            auto& read = steps_.output_of(source, x);
            read.readers.push_back(i);
            read.last = i;
        }
        time_ += model_->operations[v].time;
        ++runs_[v];
    }
    /// Inserts the step into the profile: its own bytes and those that are resident beside it.
    void place(step_id i, step_id before) {
        auto const own = [&](step_id k) {
            return model_->operations[steps_[k].operation].own - (in_place_ ? spared_[k] : 0);
        };
        bytes const beside = before == none ? 0 : profile_.resident_bytes(before) - own(before);
        profile_.insert(i, before, beside + own(i));
    }
    void erase(step_id i) {
        profile_.erase(i);
        if (in_place_) spared_[i] = 0;
    }
    /// The bytes that step i spares by writing over a value whose last use it is.
    [[nodiscard]] auto spared_by(step_id i) const -> bytes {
        auto const v = steps_[i].operation;
        for (auto const x : model_->overwritable[v])
            if (steps_.output_of(steps_.source_of(i, x), x).last == i) return model_->sizes[x];
        return 0;
    }
    /// Step i may have become or ceased to be the last use of a value.
    void touch(step_id i) {
        if (in_place_) touched_.push_back(i);
    }
    /// Brings up to date what the touched steps spare.
    void settle() {
        for (auto const i : touched_) {
            if (!profile_.contains(i)) continue;
            auto const now = spared_by(i);
            if (now != spared_[i]) profile_.add(i, i, spared_[i] - now);
            spared_[i] = now;
        }
        touched_.clear();
    }
    /// Gives output j of the new step i the later readers of the computation before it.
    void adopt_readers(step_id i, std::size_t j, value_index x) {
        auto& mine = steps_[i].outputs[j];
        mine.readers.clear();
        mine.last = i;
        auto& producers = producers_[x];
        auto const here = profile_.position(i);
        auto at = producers.size();
        while (at > 0 && here < profile_.position(producers[at - 1])) --at;
        producers.insert(producers.begin() + static_cast<std::ptrdiff_t>(at), i);
        if (at == 0) return;
        auto const p = producers[at - 1];
        auto& old = steps_.output_of(p, x);
        if (old.last == p || profile_.position(old.last) < here) return;
        mine.last = old.last;
        old.last = p;
        std::size_t kept = 0;
        auto most = profile_.position(p);
        for (auto const r : old.readers) {
            if (auto const place = profile_.position(r); place < here) {
                if (most < place) old.last = r;
                most = std::max(most, place);
                old.readers[kept++] = r;
            } else {
                mine.readers.push_back(r);
                steps_.source_of(r, x) = i;
            }
        }
        old.readers.resize(kept);
        touch(old.last);
        profile_.add(profile_.next(old.last), i, -model_->sizes[x]);
    }
    void return_readers(step_id i, std::size_t j, value_index x) {
        auto& mine = steps_[i].outputs[j];
        auto& producers = producers_[x];
        auto const own = std::ranges::find(producers, i);
        if (mine.last != i) {
            auto const p = own[-1];
            auto& old = steps_.output_of(p, x);
            touch(old.last);
            profile_.add(profile_.next(old.last), i, model_->sizes[x]);
            for (auto const r : mine.readers) steps_.source_of(r, x) = p;
            old.readers.insert(old.readers.end(), mine.readers.begin(), mine.readers.end());
            old.last = mine.last;
            mine.readers.clear();
        }
        producers.erase(own);
    }
    void attach_reads(step_id i) {
        auto const reads = model_->reads[steps_[i].operation];
        auto const here = profile_.position(i);
        for (std::size_t k = 0; k < reads.size(); ++k) {
            auto const& producers = producers_[reads[k]];
            auto at = producers.size() - 1;
            while (at > 0 && here < profile_.position(producers[at])) --at;
            auto const source = producers[at];
            steps_[i].sources[k] = source;
            auto& read = steps_.output_of(source, reads[k]);
            read.readers.push_back(i);
            if (here < profile_.position(read.last)) continue;
            touch(read.last);
            profile_.add(profile_.next(read.last), i, model_->sizes[reads[k]]);
            read.last = i;
        }
    }
    void detach_reads(step_id i) {
        auto const reads = model_->reads[steps_[i].operation];
        for (std::size_t k = 0; k < reads.size(); ++k) {
            auto const source = steps_[i].sources[k];
            auto& read = steps_.output_of(source, reads[k]);
            *std::ranges::find(read.readers, i) = read.readers.back();
            read.readers.pop_back();
            if (read.last != i) continue;
            read.last = last_reader(profile_, read, source);
            touch(read.last);
            profile_.add(profile_.next(read.last), i, -model_->sizes[reads[k]]);
        }
    }

    planning_model const* model_;
    memory_profile profile_;
    step_links steps_;
    std::vector<std::vector<step_id>> producers_;  // by value: the steps that compute it, in order
    std::vector<std::uint32_t> runs_;              // by operation: its number of steps
    std::int64_t time_ = 0;
    bool in_place_;              // whether some step may write in place
    std::vector<bytes> spared_;  // by step: the bytes that it spares in place
    std::vector<step_id> touched_;
};

}  // namespace repebble::inline v0::detail

#endif
