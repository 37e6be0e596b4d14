#ifndef REPEBBLE_TESTS_SUPPORT_CHECKING_BACKEND_HPP
#define REPEBBLE_TESTS_SUPPORT_CHECKING_BACKEND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/execution_backend.hpp>
#include <repebble/execute/fill_pattern.hpp>
#include <repebble/execute/guarded_memory.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>

namespace support {

/// The failed reads of a schedule.
struct wrong_memory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A backend that computes nothing: every instance of a value is a pattern of its own, which is written to its address
/// and compared, byte by byte, wherever it is read. From the schedule it takes only which instances are read; the
/// owners of views it derives itself.
class checking_backend {
  public:
    explicit checking_backend(repebble::dataflow const& flow) : flow_(&flow), computations_(flow.value_count(), 0) {}

    /// A new iteration: every instance counts from 0 again.
    void restart() {
        computations_.assign(flow_->value_count(), 0);
        seen_.clear();
        copied_.clear();
    }

    [[nodiscard]] auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment) const
        -> repebble::guarded_memory {
        return {size, alignment};
    }

    void compute(std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        for (auto const& r : s.reads) check(i, seen(r), memory.at(r.where), r.where.size);
        check_operands(i, s);
        check_mutations(i, s);
        // The owners of the views that are made now, before any replacement.
        std::vector<std::pair<key, repebble::instance>> views;
        for (auto const& w : s.writes)
            if (w.what.value != w.owner) views.emplace_back(key{w.what.value, w.owner}, viewed_instance(s, w));
        if (s.workspace) rubbish(memory.at(*s.workspace), s.workspace->size);
        for (auto const& w : s.writes) {
            if (w.what.value != w.owner) continue;
            repebble::instance const now{w.owner, computations_[w.owner]++};
            if (w.what != now) fail(i, "is said to write another computation of value " + std::to_string(w.owner));
            write(now, memory.at(w.where), w.where.size);
            seen_[{w.owner, w.owner}] = now;
        }
        for (auto const& [view, what] : views) seen_[view] = what;
        ++computed;
    }

    void copy(std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        auto const& from = s.reads.front();
        auto const& to = s.writes.front();
        bool const out = s.what == repebble::action::offload;
        auto* const source = memory.at(from.where, out ? repebble::pool::device : repebble::pool::host);
        auto& known = out ? seen_ : copied_;
        auto const what = known.at({from.owner, from.owner});
        check(i, what, source, from.where.size);
        std::memcpy(memory.at(to.where, out ? repebble::pool::host : repebble::pool::device), source,
                    static_cast<std::size_t>(from.where.size));
        (out ? copied_ : seen_)[{to.owner, to.owner}] = what;
    }

    void fill(std::byte* at, repebble::bytes size, std::uint64_t seed) const {
        repebble::fill_pattern{seed}.fill(at, size);
    }
    [[nodiscard]] auto highest_change(std::byte const* at, repebble::bytes size, std::uint64_t seed) const
        -> repebble::bytes {
        return repebble::fill_pattern{seed}.highest_change(at, size);
    }

    /// After a run: whether all results are there.
    void check_results(repebble::bound_schedule const& plan, repebble::pool_memory const& memory) {
        for (auto const& r : plan.results()) check(plan.step_count(), seen(r), memory.at(r.where), r.where.size);
    }

    std::size_t computed = 0;     ///< operations that ran
    repebble::bytes checked = 0;  ///< bytes that were read and right

  private:
    using key = std::pair<repebble::value_index, repebble::value_index>;  // a value, and one of its owners

    [[nodiscard]] static auto pattern_of(repebble::instance what) -> repebble::fill_pattern {
        return {(std::uint64_t{what.value} << 32U) + what.computation + 1};
    }
    static void write(repebble::instance what, std::byte* at, repebble::bytes size) { pattern_of(what).fill(at, size); }
    static void rubbish(std::byte* at, repebble::bytes size) { repebble::fill_pattern{~0ULL}.fill(at, size); }

    [[nodiscard]] auto seen(repebble::placed_value const& r) const -> repebble::instance {
        return seen_.at({r.what.value, r.owner});
    }
    [[nodiscard]] auto viewed_instance(repebble::bound_step const& s, repebble::placed_value const& view) const
        -> repebble::instance {
        for (auto const& r : s.reads)
            if (r.owner == view.owner) return seen(r);
        throw wrong_memory("a view looks at what its operation does not read");
    }
    void check(std::size_t i, repebble::instance what, std::byte const* at, repebble::bytes size) {
        if (pattern_of(what).highest_change(at, size) != 0)
            fail(i, "does not find computation " + std::to_string(what.computation) + " of value " +
                        std::to_string(what.value));
        checked += size;
    }
    /// The operands are those of the dataflow, each where it is read.
    void check_operands(std::size_t i, repebble::bound_step const& s) const {
        auto operand = s.operands.begin();
        for (auto const value : flow_->operands(s.operation))
            for (auto const owner : flow_->owners(value)) {
                if (operand == s.operands.end() || operand->what.value != value || operand->owner != owner)
                    fail(i, "has no operand of value " + std::to_string(value));
                if (std::ranges::find(s.reads, *operand) == s.reads.end())
                    fail(i, "does not read its operand of value " + std::to_string(value));
                ++operand;
            }
        if (operand != s.operands.end()) fail(i, "has too many operands");
    }
    /// The output of a mutation lies where the value lay that it overwrites.
    void check_mutations(std::size_t i, repebble::bound_step const& s) const {
        for (auto const& m : flow_->mutations(s.operation)) {
            auto const output = flow_->writes(s.operation)[m.output];
            auto const is_output = [&](auto const& w) { return w.what.value == output; };
            auto const is_over = [&](auto const& r) { return r.what.value == m.over; };
            if (std::ranges::find_if(s.writes, is_output)->where.offset !=
                std::ranges::find_if(s.reads, is_over)->where.offset)
                fail(i, "does not overwrite value " + std::to_string(m.over));
        }
    }
    [[noreturn]] static void fail(std::size_t i, std::string const& why) {
        throw wrong_memory("step " + std::to_string(i) + " " + why);
    }

    repebble::dataflow const* flow_;
    std::vector<std::uint32_t> computations_;     // per value
    std::map<key, repebble::instance> seen_{};    // in the device pool
    std::map<key, repebble::instance> copied_{};  // in the host pool
};

}  // namespace support

#endif
