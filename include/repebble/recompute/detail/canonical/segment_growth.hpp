#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEGMENT_GROWTH_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEGMENT_GROWTH_HPP

// An incremental lower bound for pruning while segments are enumerated: overhead and working memory of a segment that
// grows by one operation at a time, with undo. Used by segment_arcs as the visitor of the walk over supersets.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>

namespace repebble::inline v0::detail {

/// A segment that grows in topological order, and lower bounds on its overhead and memory. Both are monotone: an
/// operation enclosed by the segment stays enclosed, so recomputations, and values that its gradients read, are only
/// added.
class segment_growth {
  public:
    using word = position_bits::word;

    /// Refers to both; `bound` may be null.
    segment_growth(positional_values const& values, lagrangian_bound const* bound)
        : values_(&values),
          bound_(bound),
          member_(values.words(), 0),
          outside_(values.size(), 0),
          read_again_(values.size(), 0),
          inside_(values.size(), 0),
          recomputed_(values.size(), 0),
          counted_(values.value_count(), 0) {}

    /// Restarts with the empty segment above a lower set.
    void begin(word const* lower) {
        while (!steps_.empty()) leave();
        set_.assign(lower, lower + values_->words());
    }
    /// The union of the lower set and the segment.
    [[nodiscard]] auto set() const -> word const* { return set_.data(); }
    [[nodiscard]] auto overhead() const -> std::int64_t { return overhead_; }
    /// Sum of the rises of the Lagrangian bound over the recomputed operations.
    [[nodiscard]] auto rise() const -> double { return rise_; }
    /// Bytes of the segment's values that its gradients, and those below, read: all are resident before the first
    /// gradient of the segment.
    [[nodiscard]] auto working() const -> bytes { return working_; }

    /// Adds p. Requires: the inputs of p are in the set; p comes after all operations of the segment.
    void enter(std::size_t p) {
        auto const& g = values_->problem().graph();
        steps_.push_back({p, undo_.size(), overhead_, rise_, working_});
        position_bits::insert(member_.data(), p);
        position_bits::insert(set_.data(), p);
        for (auto const x : values_->writes(p))
            if (values_->gradient_reads_in(set_.data(), x)) count(x);
        for (auto const gradient : values_->gradients(p))
            for (auto const x : values_->gradient_reads(gradient))
                if (values_->is_forward(x) && is_member(values_->home(x))) count(x);
        outside_[p] = g.successors(p).size();
        if (outside_[p] == 0) enclose(p);
        for (auto const u : g.predecessors(p)) {
            if (!is_member(u)) continue;
            if (--outside_[u] == 0) enclose(u);
        }
    }
    /// Removes the operation added last.
    void leave() {
        auto const& g = values_->problem().graph();
        auto const [p, undone, overhead, rise, working] = steps_.back();
        steps_.pop_back();
        for (; undo_.size() > undone; undo_.pop_back()) {
            auto const [what, at] = undo_.back();
            switch (what) {
                case change::enclosed:
                    inside_[at] = 0;
                    break;
                case change::recomputed:
                    recomputed_[at] = 0;
                    break;
                case change::read:
                    --read_again_[at];
                    break;
                case change::counted:
                    counted_[at] = 0;
                    break;
            }
        }
        for (auto const u : g.predecessors(p))
            if (is_member(u)) ++outside_[u];
        position_bits::erase(member_.data(), p);
        position_bits::erase(set_.data(), p);
        overhead_ = overhead;
        rise_ = rise;
        working_ = working;
    }

  private:
    enum class change : std::uint8_t { enclosed, recomputed, read, counted };
    struct entry {
        change what;
        std::size_t at;
    };
    struct step {
        std::size_t added, undone;
        std::int64_t overhead;
        double rise;
        bytes working;
    };

    [[nodiscard]] auto is_member(std::size_t p) const -> bool { return position_bits::has(member_.data(), p); }

    void count(value_index x) {
        if (counted_[x] != 0) return;
        counted_[x] = 1;
        undo_.push_back({change::counted, x});
        working_ += values_->bytes_of(x);
    }
    void enclose(std::size_t p) {
        if (values_->problem().pinned(p)) return;
        inside_[p] = 1;
        undo_.push_back({change::enclosed, p});
        if (values_->feeds_gradients(p) || read_again_[p] > 0) recompute(p);
    }
    void recompute(std::size_t p) {
        if (recomputed_[p] != 0) return;
        recomputed_[p] = 1;
        undo_.push_back({change::recomputed, p});
        overhead_ += values_->time(p);
        if (bound_ != nullptr) rise_ += bound_->rise(p);
        for (auto const x : values_->reads(p)) {
            auto const q = values_->home(x);
            if (!is_member(q)) continue;
            ++read_again_[q];
            undo_.push_back({change::read, q});
            if (inside_[q] != 0) recompute(q);
        }
    }

    positional_values const* values_;
    lagrangian_bound const* bound_;
    std::vector<word> member_, set_;
    std::vector<std::size_t> outside_;  // per member: successors outside the set
    std::vector<std::uint32_t> read_again_;
    std::vector<char> inside_, recomputed_, counted_;
    std::vector<entry> undo_;
    std::vector<step> steps_;
    std::int64_t overhead_{};
    double rise_ = 0;
    bytes working_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
