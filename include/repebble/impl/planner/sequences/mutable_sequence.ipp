#ifndef REPEBBLE_IMPL_PLANNER_SEQUENCES_MUTABLE_SEQUENCE_IPP
#define REPEBBLE_IMPL_PLANNER_SEQUENCES_MUTABLE_SEQUENCE_IPP

#include <repebble/planner/detail/sequences/mutable_sequence.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto step_links::add(operation_index v) -> step_id {
    if (!unused_[v].empty()) {
        auto const i = unused_[v].back();
        unused_[v].pop_back();
        return i;
    }
    steps_.push_back({v, std::vector<step_id>(model_->reads[v].size(), memory_profile::none),
                      std::vector<output>(model_->writes[v].size())});
    return static_cast<step_id>(steps_.size() - 1);
}

REPEBBLE_INLINE auto last_reader(memory_profile const& profile, step_links::output const& read,
                                 memory_profile::node source, memory_profile::node end) -> memory_profile::node {
    auto last = source;
    auto most = profile.position(source);
    auto const limit = end == memory_profile::none ? std::numeric_limits<std::uint64_t>::max() : profile.position(end);
    for (auto const r : read.readers) {
        auto const at = profile.position(r);
        if (at >= limit || at <= most) continue;
        most = at;
        last = r;
    }
    return last;
}

REPEBBLE_INLINE mutable_sequence::mutable_sequence(planning_model const& m, std::span<operation_index const> sequence,
                 bytes budget) : mutable_sequence(m, budget) {
    auto const resident = sequence_loads(m, sequence);
    for (std::size_t at = 0; at < resident.size(); ++at) append(sequence[at], resident[at]);
    if (in_place_)
        for (step_id i = 0; i < resident.size(); ++i) spared_[i] = spared_by(i);
}

REPEBBLE_INLINE auto mutable_sequence::insert(operation_index v, step_id before) -> step_id {
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

REPEBBLE_INLINE auto mutable_sequence::is_removable(step_id i) const -> bool {
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

REPEBBLE_INLINE void mutable_sequence::remove(step_id i) {
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

REPEBBLE_INLINE void mutable_sequence::shift(step_id i, step_id to) {
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

REPEBBLE_INLINE auto mutable_sequence::operations() const -> std::vector<operation_index> {
    std::vector<operation_index> all;
    all.reserve(size());
    for (auto i = first(); i != none; i = next(i)) all.push_back(steps_[i].operation);
    return all;
}

REPEBBLE_INLINE auto mutable_sequence::must_run(operation_index v) const -> bool {
    auto const writes = model_->writes[v];
    return std::ranges::all_of(writes, [&](auto const x) { return model_->readers[x].empty(); }) &&
           (writes.empty() ||
            std::ranges::any_of(writes, [&](auto x) { return model_->producers[x].size() == 1; }));
}

REPEBBLE_INLINE auto mutable_sequence::new_step(operation_index v) -> step_id {
    auto const i = steps_.add(v);
    profile_.reserve_nodes(steps_.size());
    if (in_place_ && steps_.size() > spared_.size()) spared_.resize(steps_.size(), 0);
    return i;
}

REPEBBLE_INLINE void mutable_sequence::append(operation_index v, bytes resident) {
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

REPEBBLE_INLINE void mutable_sequence::place(step_id i, step_id before) {
    auto const own = [&](step_id k) {
        return model_->operations[steps_[k].operation].own - (in_place_ ? spared_[k] : 0);
    };
    bytes const beside = before == none ? 0 : profile_.resident_bytes(before) - own(before);
    profile_.insert(i, before, beside + own(i));
}

REPEBBLE_INLINE auto mutable_sequence::spared_by(step_id i) const -> bytes {
    auto const v = steps_[i].operation;
    auto const is_last = [&](value_index x) { return steps_.output_of(steps_.source_of(i, x), x).last == i; };
    bytes spared = 0;
    for (auto const x : model_->ended[v])
        if (!is_last(x)) spared -= model_->illegal;
    if (auto const over = model_->overwritable[v]; !over.empty())
        if (auto const x = std::ranges::find_if(over, is_last); x != over.end()) spared += model_->sizes[*x];
    return spared;
}

REPEBBLE_INLINE void mutable_sequence::settle() {
    for (auto const i : touched_) {
        if (!profile_.contains(i)) continue;
        auto const now = spared_by(i);
        if (now != spared_[i]) profile_.add(i, i, spared_[i] - now);
        spared_[i] = now;
    }
    touched_.clear();
}

REPEBBLE_INLINE void mutable_sequence::adopt_readers(step_id i, std::size_t j, value_index x) {
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

REPEBBLE_INLINE void mutable_sequence::return_readers(step_id i, std::size_t j, value_index x) {
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

REPEBBLE_INLINE void mutable_sequence::attach_reads(step_id i) {
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

REPEBBLE_INLINE void mutable_sequence::detach_reads(step_id i) {
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

}  // namespace repebble::inline v0::detail

#endif
