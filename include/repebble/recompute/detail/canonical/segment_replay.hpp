#ifndef REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEGMENT_REPLAY_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CANONICAL_SEGMENT_REPLAY_HPP

// The cost model of best_canonical: overhead, cache and peaks of one segment, equal to those that the replay of the
// whole schedule finds. segment_arcs calls it for every candidate segment, so all state is in reusable arrays.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>

namespace repebble::inline v0::detail {

/// Replays one segment of the canonical strategy, from the opened lower set to a greater one. Besides the two sets its
/// cost depends on the *cache*, the bytes of values that segments below will read when their gradients run, and on the
/// *claimed* values: those on the boundary of the lower set that no gradient below reads, but a recomputation below
/// does. The other boundary values are resident only until the segment that reads them has run.
class segment_replay {
  public:
    using word = position_bits::word;

    struct figures {
        std::int64_t overhead{};  ///< time of recomputations
        bytes cached = 0;         ///< growth of the cache
        bytes forward_peak = 0;   ///< above the cache and the unclaimed boundary values
        bytes backward_peak = 0;  ///< above the cache
    };

    /// Refers to `values`.
    explicit segment_replay(positional_values const& values)
        : values_(&values),
          readers_left_(values.value_count(), 0),
          runs_(values.size(), 0),
          kept_(values.size(), 0),
          wanted_(values.size(), 0),
          claimed_(values.value_count(), 0),
          read_again_(values.value_count(), 0),
          new_(values.value_count(), 0) {}

    /// Sets the lower set, which must outlive the calls of `run`.
    void open(word const* lower) {
        lower_ = lower;
        open_bytes_ = 0;
        values_->for_each_open(lower, [&](value_index x) { open_bytes_ += values_->bytes_of(x); });
    }
    /// Bytes of the boundary values that may be claimed.
    [[nodiscard]] auto open_bytes() const -> bytes { return open_bytes_; }

    /// Returns the figures of the segment that ends with `upper`. `beyond`: as `positional_values::beyond(upper)`;
    /// `claimed`: ascending.
    auto run(word const* upper, bytes beyond, std::span<value_index const> claimed) -> figures {
        upper_ = upper;
        members_.clear();
        for (std::size_t k = 0; k < values_->words(); ++k)
            position_bits::for_each_of_word(upper[k] & ~lower_[k], k, [&](std::size_t p) { members_.push_back(p); });
        for (auto const x : claimed) claimed_[x] = 1;
        bool const last = values_->is_full(upper);
        figures result;
        gather_gradients();
        if (last) {
            for (auto const p : members_) runs_[p] = 1;
            bytes now = open_bytes_;
            for (auto const x : claimed) now -= values_->bytes_of(x);
            result.backward_peak = run_backward(now);
        } else {
            decide(result);
            count_cache(result);
            claim(claimed);
            result.forward_peak = run_forward();
            result.backward_peak = run_backward(new_bytes_ + beyond);
        }
        for (auto const x : claimed) claimed_[x] = 0;
        for (auto const x : marked_) read_again_[x] = new_[x] = 0;
        marked_.clear();
        for (auto const p : members_) runs_[p] = kept_[p] = wanted_[p] = 0;
        return result;
    }
    /// Number of operations of the last segment.
    [[nodiscard]] auto length() const { return members_.size(); }
    /// Claimed values at `upper`, ascending, after `run` of a segment that does not end with V.
    [[nodiscard]] auto claimed_after() const -> std::vector<value_index> const& { return claims_; }

  private:
    [[nodiscard]] auto below(std::size_t p) const { return position_bits::has(lower_, p); }
    /// Whether x is already in the cache.
    [[nodiscard]] auto counted(value_index x) const {
        return claimed_[x] != 0 || values_->gradient_reads_in(lower_, x);
    }

    /// Determines the operations that are kept and those that are recomputed.
    void decide(figures& result) {
        for (auto const p : members_) kept_[p] = values_->is_kept(p, upper_) ? 1 : 0;
        for (std::size_t k = members_.size(); k-- > 0;) {
            auto const p = members_[k];
            if (kept_[p] != 0 || (wanted_[p] == 0 && !values_->feeds_gradients(p))) continue;
            runs_[p] = 1;
            result.overhead += values_->time(p);
            for (auto const x : values_->reads(p)) {
                auto const q = values_->home(x);
                if (below(q) || kept_[q] != 0) {
                    read_again_[x] = 1;
                    marked_.push_back(x);
                } else {
                    wanted_[q] = 1;
                }
            }
        }
    }

    void gather_gradients() {
        gradients_.clear();
        for (auto const p : members_)
            for (auto const g : values_->gradients(p)) gradients_.push_back(g);
        std::sort(gradients_.data(), gradients_.data() + gradients_.size());
    }

    void count_cache(figures& result) {
        new_bytes_ = 0;
        auto const add = [&](value_index x) {
            if (!values_->is_forward(x) || !below(values_->home(x)) || new_[x] != 0 || counted(x)) return;
            new_[x] = 1;
            marked_.push_back(x);
            new_bytes_ += values_->bytes_of(x);
        };
        for (auto const p : members_) {
            if (runs_[p] != 0)
                for (auto const x : values_->reads(p)) add(x);
            if (kept_[p] == 0) continue;
            for (auto const x : values_->writes(p))
                if (read_again_[x] != 0 || values_->gradient_reads_in(upper_, x)) result.cached += values_->bytes_of(x);
        }
        for (auto const g : gradients_)
            for (auto const x : values_->gradient_reads(g)) add(x);
        result.cached += new_bytes_;
    }

    void claim(std::span<value_index const> claimed) {
        claims_.assign(claimed.begin(), claimed.end());
        for (auto const x : marked_)
            if (read_again_[x] != 0) claims_.push_back(x);
        sort_unique(claims_);
        std::erase_if(claims_, [&](value_index x) {
            return !values_->is_read_beyond(x, upper_) || values_->gradient_reads_in(upper_, x);
        });
    }

    /// Returns the peak of the first pass, above the cache and the unclaimed boundary values.
    auto run_forward() -> bytes {
        for (auto const p : members_)
            for (auto const x : values_->reads(p)) ++readers_left_[x];
        bytes now = 0;
        bytes peak = 0;
        auto const is_discarded = [&](value_index x) {
            auto const p = values_->home(x);
            if (below(p))
                return !counted(x) && read_again_[x] == 0 && !values_->is_read_beyond(x, upper_) &&
                       !values_->feeds_gradients_by(x);
            return kept_[p] == 0 ||
                   (read_again_[x] == 0 && !values_->is_read_beyond(x, upper_) && !values_->feeds_gradients_by(x));
        };
        for (auto const p : members_) {
            for (auto const x : values_->writes(p)) now += values_->bytes_of(x);
            peak = std::max(peak, now + values_->workspace(p));
            discard_unread(values_->reads(p), values_->writes(p), is_discarded, now);
        }
        return peak;
    }

    /// Returns the peak of the backward pass: the recomputations (of the last segment, its first pass), then the
    /// gradients. `now`: resident bytes from outside the segment.
    auto run_backward(bytes now) -> bytes {
        for (auto const p : members_)
            if (runs_[p] != 0)
                for (auto const x : values_->reads(p)) ++readers_left_[x];
        for (auto const g : gradients_)
            for (auto const x : values_->gradient_reads(g)) ++readers_left_[x];
        for (auto const p : members_)
            if (kept_[p] != 0)
                for (auto const x : values_->writes(p))
                    if (readers_left_[x] != 0 || values_->gradient_reads_in(lower_, x)) now += values_->bytes_of(x);
        bytes peak = now;
        auto const is_discarded = [&](value_index x) {
            if (values_->is_forward(x) && below(values_->home(x))) return !counted(x);
            return !values_->gradient_reads_in(lower_, x);
        };
        for (auto const p : members_) {
            if (runs_[p] == 0) continue;
            for (auto const x : values_->writes(p)) now += values_->bytes_of(x);
            peak = std::max(peak, now + values_->workspace(p));
            discard_unread(values_->reads(p), values_->writes(p), is_discarded, now);
        }
        for (auto const g : gradients_) {
            for (auto const x : values_->gradient_writes(g)) now += values_->bytes_of(x);
            peak = std::max(peak, now + values_->gradient_workspace(g));
            discard_unread(values_->gradient_reads(g), values_->gradient_writes(g), is_discarded, now);
        }
        return peak;
    }

    /// After a step: discards the values that have no reader left.
    template <class Reads, class Writes, class IsDiscarded>
    void discard_unread(Reads const& reads, Writes const& writes, IsDiscarded const& is_discarded, bytes& now) {
        for (auto const x : writes)
            if (readers_left_[x] == 0 && is_discarded(x)) now -= values_->bytes_of(x);
        for (auto const x : reads)
            if (--readers_left_[x] == 0 && is_discarded(x)) now -= values_->bytes_of(x);
    }

    positional_values const* values_;
    word const* lower_ = nullptr;
    word const* upper_ = nullptr;
    bytes open_bytes_ = 0;
    bytes new_bytes_ = 0;
    std::vector<std::size_t> members_;              // positions of the segment
    std::vector<std::uint32_t> gradients_;          // their gradients, in order
    std::vector<std::uint32_t> readers_left_;       // per value, during a run
    std::vector<char> runs_, kept_, wanted_;        // per position of the segment
    std::vector<char> claimed_, read_again_, new_;  // per value
    std::vector<value_index> marked_;               // values with read_again_ or new_ set
    std::vector<value_index> claims_;
};

}  // namespace repebble::inline v0::detail

#endif
