#ifndef REPEBBLE_ORDERS_DETAIL_PEBBLING_SEARCH_HPP
#define REPEBBLE_ORDERS_DETAIL_PEBBLING_SEARCH_HPP

// Best-first search (A*: Hart, Nilsson, Raphael 1968) for a fastest pebbling within a budget. `find_optimal_pebbling`
// and `find_least_peak` run it; the bound is time_bound.hpp. Invariant: the time of the last expanded state is a lower
// bound on the optimum.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/orders/detail/small_game.hpp>
#include <repebble/orders/detail/time_bound.hpp>

namespace repebble::inline v0::detail {

/// The outcome of a search; `limit`: the limit on states was reached first.
enum class pebbling_end : std::uint8_t { found, impossible, limit };

/// Searches for a fastest way through a game within a budget.
/// Values without useful readers are discarded at once, all others only when an operation needs memory, and no more of
/// them than it needs: discarding earlier, or more, is never faster. The discarded values are chosen one by one,
/// largest first, each choice being a node of its own. An operation runs without branching where that is safe: one that
/// must run, runs once and leaves no more bytes than it frees, or one of time 0 for which nothing has to be discarded.
/// Left out: states that a known one covers (`is_dominated`); discards that undo a run of which nothing was read yet,
/// for without that run the same would be reached in less time; and discards of what must be read, but cannot be made
/// again.
class pebbling_search {
  public:
    /// Refers to the game, which must outlive it. With a cutoff, only times below it are searched for.
    pebbling_search(small_game const& game, bytes budget, std::optional<std::int64_t> cutoff = {})
        : game_(game), budget_(budget), cutoff_(cutoff), bound_(game, budget) {
        for (std::size_t x = 0; x < game.value_count(); ++x)
            if (game.value_at(x).size > 0) by_size_.push_back(x);
        sort_by(by_size_, [&](auto a, auto b) { return game.value_at(a).size > game.value_at(b).size; });
        from_.assign(by_size_.size() + 1, 0);
        for (std::size_t k = by_size_.size(); k-- > 0;) from_[k] = from_[k + 1] | bit(by_size_[k]);
        useful_.fill({0, game.useful(0)});
        for (std::size_t v = 0; v < game.size(); ++v) {
            auto const& o = game[v];
            for_each_bit(o.reads & game.singly_written(),
                         [&](std::size_t x) { read_from_[v] |= bit(game.value_at(x).producer); });
            for_each_bit(o.reads, [&](std::size_t x) { readers_[x] |= bit(v); });
            if (o.time > 0 && o.marks == 0 && (o.writes & ~game.singly_written()) == 0) in_vain_ |= bit(v);
        }
    }

    /// Searches until so many states are in memory, or stop(), which is asked now and then. Called again it goes on.
    auto run(std::size_t state_limit, stop_test stop = never_stop{}) -> pebbling_end {
        if (slots_.empty()) {
            slots_.assign(1024, none);
            reach({}, {}, none, 0);
        }
        paced_stop is_over(stop);
        while (!queue_.empty()) {
            auto const [total, left, i] = queue_.front();
            lower_bound_ = std::max(lower_bound_, cutoff_ ? std::min(total, *cutoff_) : total);
            if (cutoff_ && total >= *cutoff_) break;
            if (nodes_.size() > state_limit || is_over.after(game_.size())) return pebbling_end::limit;
            // A faster path to the state was found, and expanded or queued.
            bool const is_superseded = nodes_[i].expanded || total > total_of(nodes_[i]);
            if (!is_superseded && nodes_[i].next == position && game_.waiting(nodes_[i].state.done) == 0) {
                last_ = i;  // stays in the queue: asked again, it is found again
                return pebbling_end::found;
            }
            std::ranges::pop_heap(queue_, behind{});
            queue_.pop_back();
            if (is_superseded) continue;
            nodes_[i].expanded = true;
            auto const n = nodes_[i];
            if (n.next == position) {
                if (is_dominated(n.state, n.elapsed)) continue;
                expand(i);
            } else {
                spare_.push_back(i);
                discard_one(n, droppable(n));
            }
        }
        if (cutoff_) lower_bound_ = std::max(lower_bound_, *cutoff_);
        return pebbling_end::impossible;
    }

    /// Only times below it are searched for from now on, where it is less than before.
    void cut_off(std::int64_t cutoff) { cutoff_ = cutoff_ ? std::min(*cutoff_, cutoff) : cutoff; }
    /// A lower bound on the time of all pebblings; the least time where one was found.
    [[nodiscard]] auto lower_bound() const -> std::int64_t { return lower_bound_; }
    [[nodiscard]] auto states() const -> std::size_t { return nodes_.size(); }
    [[nodiscard]] auto time() const -> std::int64_t { return nodes_[last_].elapsed; }
    /// The operations of the pebbling that was found, without superfluous ones.
    [[nodiscard]] auto computations() const -> std::vector<operation_index> {
        std::vector<operation_index> order;
        bit_set needed = 0;
        for (auto i = last_; nodes_[i].parent != none; i = nodes_[i].parent) {
            auto const& o = game_[nodes_[i].operation];
            bool const counts = nodes_[i].state.done != nodes_[nodes_[i].parent].state.done;
            if (!counts && (o.writes & needed) == 0) continue;
            needed = (needed & ~o.writes) | o.reads;
            if (o.original < game_.original_count()) order.push_back(o.original);
        }
        std::ranges::reverse(order);
        return order;
    }

  private:
    using node_index = std::uint32_t;
    using outlook = typename small_game::outlook;
    static constexpr auto none = std::numeric_limits<node_index>::max();
    static constexpr auto position = std::numeric_limits<std::uint8_t>::max();
    static constexpr auto no_value_over = std::numeric_limits<std::uint8_t>::max();

    /// A position of the game, or a choice between positions: `operation` is to run in `parent`, whose resident values
    /// were reduced to these, and `excess` bytes more must be discarded, of the values by_size_[next] and after it.
    struct node {
        game_state state;
        std::int64_t elapsed{};
        std::int64_t ahead{};  ///< a lower bound
        bit_set unread = 0;    ///< operations of whose last run nothing was read
        bit_set must_run = 0;  ///< from the position on, or the one before
        bytes excess = 0;
        node_index parent = none;  ///< the position before `operation` ran, or runs
        std::uint8_t operation = 0;
        std::uint8_t next = position;
        std::uint8_t over = no_value_over;  ///< the value that the operation overwrites
        std::uint8_t left = 0;              ///< operations that must run
        bool expanded = false;
    };
    struct entry {
        std::int64_t total{};
        std::uint32_t left = 0;
        node_index node = 0;
    };
    struct behind {
        auto operator()(entry const& a, entry const& b) const -> bool {
            return std::tie(b.total, b.left, a.node) < std::tie(a.total, a.left, b.node);
        }
    };

    static auto total_of(node const& n) -> std::int64_t {
        return checked_add(n.elapsed, n.ahead, "times of a schedule");
    }

    [[nodiscard]] auto is_too_slow(node const& n) const -> bool { return cutoff_ && total_of(n) >= *cutoff_; }

    [[nodiscard]] auto slot_of(game_state const& s) const -> std::size_t {
        std::uint64_t hash = s.resident * 0x9e3779b97f4a7c15ULL;
        hash = (hash ^ (hash >> 32U) ^ (s.done * 0xc2b2ae3d27d4eb4fULL)) * 0xd6e8feb86659fd93ULL;
        std::size_t const mask = slots_.size() - 1;
        auto at = (hash ^ (hash >> 32U)) & mask;
        while (slots_[at] != none && nodes_[slots_[at]].state != s) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        slots_.assign(slots_.size() * 2, none);
        for (node_index i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].next == position) slots_[slot_of(nodes_[i].state)] = i;
    }
    void push(node_index i) {
        queue_.push_back({total_of(nodes_[i]), nodes_[i].left, i});
        std::ranges::push_heap(queue_, behind{});
    }

    /// Reaches state s by the operation of `before`, which took that time.
    void reach(game_state const& s, node const& before, node_index parent, std::int64_t took) {
        auto const at = slot_of(s);
        auto const elapsed = checked_add(before.elapsed, took, "times of a schedule");
        if (auto const i = slots_[at]; i != none) {
            auto& known = nodes_[i];
            if (known.elapsed <= elapsed) return;
            known.elapsed = elapsed;
            known.parent = parent;
            known.operation = before.operation;
            known.unread = unread_after(before);
            known.expanded = false;
            push(i);
            return;
        }
        if (is_dominated(s, elapsed)) return;
        auto const rest = bound_(s);
        if (!rest) return;
        node made{.state = s,
                  .elapsed = elapsed,
                  .unread = unread_after(before),
                  .must_run = rest->must_run,
                  .parent = parent,
                  .operation = before.operation};
        made.ahead = std::max(rest->time, before.ahead - took);
        if (is_too_slow(made)) return;
        made.left = static_cast<std::uint8_t>(std::popcount(rest->must_run));
        slots_[at] = static_cast<node_index>(nodes_.size());
        nodes_.push_back(made);
        push(slots_[at]);
        if (++positions_ * 2 > slots_.size()) grow();
    }

    /// Whether a known state has one more resident value, which may still be read, and took no more time: all that can
    /// follow this one can follow that, by one discard. (States with several more are hardly ever the only ones.)
    [[nodiscard]] auto is_dominated(game_state const& s, std::int64_t elapsed) -> bool {
        bytes const free = budget_ - game_.bytes_of(s.resident);
        for (bit_set rest = useful(s.done).values & ~s.resident; rest != 0; rest &= rest - 1) {
            auto const x = static_cast<std::size_t>(std::countr_zero(rest));
            if (game_.value_at(x).size > free) continue;
            auto const more = slots_[slot_of({s.resident | bit(x), s.done})];
            if (more != none && nodes_[more].elapsed <= elapsed) return true;
        }
        return false;
    }

    /// The outlook of the game, remembered: few sets `done` are asked for again and again.
    [[nodiscard]] auto useful(bit_set done) -> outlook const& {
        auto& known = useful_[(done * 0x9e3779b97f4a7c15ULL) >> 58U];
        if (known.first != done) known = {done, game_.useful(done)};
        return known.second;
    }
    void expand(node_index from) {
        auto n = nodes_[from];
        auto const& s = n.state;
        auto const ahead = useful(s.done);
        bytes const free = budget_ - game_.bytes_of(s.resident);
        bit_set ready = 0;
        for_each_bit(ahead.operations, [&](std::size_t v) {
            auto const& o = game_[v];
            bool const is_useful = (o.marks & ahead.goals) != 0 || (o.writes & ahead.values & ~s.resident) != 0;
            if (is_useful && (o.reads & ~s.resident) == 0) ready |= bit(v);
        });
        for (bit_set rest = ready; rest != 0; rest &= rest - 1) {
            auto const v = static_cast<std::size_t>(std::countr_zero(rest));
            if (game_[v].allocates > free || !is_harmless(s, v, n.must_run)) continue;
            ready = bit(v);
            break;
        }
        n.parent = from;
        n.next = 0;
        for_each_bit(ready, [&](std::size_t v) {
            n.operation = static_cast<std::uint8_t>(v);
            n.excess = game_[v].allocates - free;
            n.over = no_value_over;
            free_memory(n);
            if (n.excess <= 0) return;  // in place it is no better
            for_each_bit(game_[v].over, [&](std::size_t x) {
                auto in_place = n;
                in_place.over = static_cast<std::uint8_t>(x);
                in_place.excess -= game_.value_at(x).size;
                free_memory(in_place);
            });
        });
    }
    [[nodiscard]] auto is_harmless(game_state const& s, std::size_t v, bit_set must_run) -> bool {
        auto const& o = game_[v];
        if (o.ends != 0 && (o.ends & useful(game_.done_after(s.done, v)).values) != 0) return false;
        bool const once = has_bit(game_.once(), v);
        if (once && (o.writes & game_.views()) != 0) return false;  // its owners must stay from then on
        if (!(o.time > 0) && !once) return true;
        if (!has_bit(must_run, v) || (!once && !has_bit(game_.waiting(s.done), v))) return false;
        bit_set const single = game_.singly_written();
        bit_set const after = useful(game_.done_after(s.done, v)).values;
        return (o.writes & ~single) == 0 &&
               game_.bytes_of(o.writes & after) <= game_.bytes_of(o.reads & single & game_.written_once() & ~after);
    }

    [[nodiscard]] auto unread_after(node const& before) const -> bit_set {
        return (before.unread & ~read_from_[before.operation]) | (bit(before.operation) & in_vain_);
    }
    /// Neither what makes a run vain when it is discarded, nor what would be missed for ever.
    [[nodiscard]] auto droppable(node const& choice) const -> bit_set {
        bit_set all = choice.state.resident & from_[choice.next] & ~game_[choice.operation].reads;
        for_each_bit(choice.unread & ~read_from_[choice.operation], [&](std::size_t v) {
            bit_set const left = game_[v].writes & choice.state.resident;
            if ((left & (left - 1)) == 0) all &= ~left;
        });
        for_each_bit(all & game_.written_once() & game_.singly_written(), [&](std::size_t x) {
            if ((readers_[x] & choice.must_run & ~bit(choice.operation)) != 0) all &= ~bit(x);
        });
        return all;
    }
    [[nodiscard]] auto outcome(node const& choice) -> game_state {
        auto const done = game_.done_after(choice.state.done, choice.operation);
        auto ended = game_[choice.operation].ends | game_[choice.operation].replaces;
        if (choice.over != no_value_over) ended |= game_.goes_with(choice.over);
        auto const resident = (choice.state.resident & ~ended) | game_[choice.operation].writes;
        return {resident & useful(done).values, done};
    }
    /// Continues a choice: at once where a single discard suffices, through the queue otherwise.
    void free_memory(node choice) {
        auto const took = game_[choice.operation].time;
        if (choice.excess <= 0) return reach(outcome(choice), choice, choice.parent, took);
        constexpr int few = 4;  // that are sooner tried than bounded
        bit_set const all = droppable(choice);
        if (game_.bytes_of(all) < choice.excess) return;
        bool one_is_enough = true;
        for_each_bit(all,
                     [&](std::size_t x) { one_is_enough = one_is_enough && game_.value_at(x).size >= choice.excess; });
        if (one_is_enough || std::popcount(all) <= few) return discard_one(choice, all);
        // Values that the operation writes anew can be discarded without loss.
        bit_set const missed = all & ~game_[choice.operation].writes;
        bytes const free = game_.bytes_of(all & ~missed);
        auto const rest = bound_(outcome(choice), missed, choice.excess - free);
        if (!rest) return;
        choice.ahead = std::max(choice.ahead, checked_add(took, rest->time, "times of a schedule"));
        if (is_too_slow(choice)) return;
        if (total_of(choice) <= lower_bound_) return discard_one(choice, all);  // it would be the next of the queue
        choice.left = static_cast<std::uint8_t>(std::popcount(rest->must_run));
        choice.expanded = false;
        if (spare_.empty()) {
            nodes_.push_back(choice);
            return push(static_cast<node_index>(nodes_.size() - 1));
        }
        auto const i = spare_.back();
        spare_.pop_back();
        nodes_[i] = choice;
        push(i);
    }
    /// `all`: the droppable ones.
    void discard_one(node const& choice, bit_set all) {
        for (std::size_t k = choice.next; k < by_size_.size(); ++k) {
            if (!has_bit(all, by_size_[k])) continue;
            auto chosen = choice;
            chosen.state.resident &= ~game_.goes_with(by_size_[k]);
            chosen.excess -= game_.value_at(by_size_[k]).size;
            chosen.next = static_cast<std::uint8_t>(k + 1);
            free_memory(chosen);
        }
    }

    small_game const& game_;
    bytes budget_;
    std::optional<std::int64_t> cutoff_;
    time_bound bound_;
    std::vector<std::size_t> by_size_;                   // values, largest first
    std::vector<bit_set> from_;                          // by_size_[k] and all after it
    std::array<bit_set, small_game::most> read_from_{};  // the operations that write what an operation reads
    std::array<bit_set, small_game::most> readers_{};    // the operations that read a value
    bit_set in_vain_ = 0;                                // operations that run only for readers of their values
    std::vector<node> nodes_;
    std::vector<node_index> slots_;  // of a hash table of positions
    std::vector<node_index> spare_;  // finished choices, to be reused
    std::vector<entry> queue_;
    std::size_t positions_ = 0;
    std::int64_t lower_bound_{};
    node_index last_ = none;
    std::array<std::pair<bit_set, outlook>, 64> useful_{};  // by a hash of `done`
};

}  // namespace repebble::inline v0::detail

#endif
