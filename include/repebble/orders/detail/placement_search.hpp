#ifndef REPEBBLE_ORDERS_DETAIL_PLACEMENT_SEARCH_HPP
#define REPEBBLE_ORDERS_DETAIL_PLACEMENT_SEARCH_HPP

// Best-first search (A*: Hart, Nilsson, Raphael 1968) for a fastest pebbling where it matters in which storage a value
// lies: a view may stay in that of an older computation while its owner is computed again, which the sets of
// small_game.hpp cannot say. `optimal_search` runs it after them. Invariant: the time of the last expanded state is a
// lower bound on the optimum.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/orders/detail/pebbling_search.hpp>
#include <repebble/orders/detail/small_game.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0::detail {

/// Searches for a fastest way through the pebble game, by its very rules: a state has the storage of each owner of each
/// resident value. Values are discarded one by one, and only where an operation could run after that which cannot now;
/// those that nothing useful reads any more, at once. In place are the steps that the dataflow allows, over storages of
/// the output's size. With policies, only schedules that recompute what they mark: the boundary between the passes is a
/// step of its own, without marked values in memory.
class placement_search {
  public:
    /// Refers to the dataflow. `marks`: what must be recomputed; null: nothing.  O(n + m).  Requires: `fits`.
    placement_search(dataflow const& flow, bytes budget, policy_marks const* marks = nullptr);

    /// Whether the dataflow has at most 64 operations and 64 values, in at most 96 storages as views count them.
    [[nodiscard]] static auto fits(dataflow const& flow) -> bool;

    /// Searches until it has so many states, or stop(), which is asked now and then. Called again it goes on.
    auto run(std::size_t state_limit, stop_test stop = never_stop{}) -> pebbling_end;
    /// Only times below it are searched for from now on, where it is less than before.
    void cut_off(std::int64_t cutoff) { cutoff_ = cutoff_ ? std::min(*cutoff_, cutoff) : cutoff; }
    /// A lower bound on the time of all schedules; the least time where one was found.
    [[nodiscard]] auto lower_bound() const -> std::int64_t { return lower_bound_; }
    /// In units of some 100 bytes, as `pebbling_search` counts them.
    [[nodiscard]] auto states() const -> std::size_t { return nodes_.size() * units_; }
    [[nodiscard]] auto time() const -> std::int64_t { return nodes_[last_].elapsed; }
    /// The schedule that was found.
    [[nodiscard]] auto found() const -> schedule<>;

  private:
    using node_index = std::uint32_t;
    using slot = std::uint8_t;
    static constexpr std::size_t most_slots = 96;
    static constexpr slot nowhere = std::numeric_limits<slot>::max();
    static constexpr auto none = std::numeric_limits<node_index>::max();

    struct storage {
        bytes size = 0;
        bit_set values = 0;  ///< that lie in it
    };
    /// A position of the game.
    struct position {
        bit_set resident = 0;
        bit_set ran = 0;              ///< of the operations for which that counts
        bit_set computed = 0;         ///< of the values that have several producers, where that counts
        bool crossed = true;          ///< the boundary between the passes
        std::vector<slot> lies_in{};  ///< by slot of a value's owner: a storage
        std::vector<storage> storages{};
        bytes in_use = 0;
    };
    struct move {
        operation_index v = 0;
        std::uint32_t overwrite = 0;  ///< number of an allowed overwrite of v, plus 1; 0: no step in place
    };
    struct node {
        std::int64_t elapsed = 0, ahead = 0;
        node_index parent = none;
        move by{};
        bool computes = false;  ///< else it discards
        bool expanded = false;
    };
    struct entry {
        std::int64_t total = 0;
        node_index node = 0;
    };
    struct behind {
        auto operator()(entry const& a, entry const& b) const -> bool {
            return a.total != b.total ? b.total < a.total : a.node < b.node;
        }
    };

    void note_operations();
    void note_policies(policy_marks const& marks);
    void begin();
    void expand(node_index from);
    /// The policies let v run now.
    [[nodiscard]] auto is_allowed(position const& p, operation_index v) const -> bool {
        if (!p.crossed) return !has_bit(backward_, v);
        bool const is_new = !has_bit(p.ran, v) && ((writes_[v] & ~p.computed) != 0 || writes_[v] == 0);
        return !is_new || !has_bit(forward_, v);
    }
    /// Runs v in every way from a position.  False: some way might be open after a discard.
    auto run_from(position const& p, node_index from, operation_index v) -> bool;
    /// What can still be useful.
    struct outlook {
        bit_set operations = 0, values = 0;
    };
    [[nodiscard]] auto useful(position const& p) const -> outlook;
    [[nodiscard]] auto waits(position const& p, operation_index v) const -> bool {
        return has_bit(sinks_, v) && !has_bit(p.ran, v) &&
               !(alternatives_[v] != 0 && (alternatives_[v] & ~p.computed) == 0);
    }
    /// The time of all that must still run; nothing where the end cannot be reached.
    [[nodiscard]] auto time_ahead(position const& p) const -> std::optional<std::int64_t>;
    [[nodiscard]] auto is_over(position const& p) const -> bool;
    /// Whether it cannot run again.
    [[nodiscard]] auto is_spent(position const& p, operation_index v) const -> bool {
        return flow_.is_input(v) || (!flow_.recomputable(v) && has_bit(p.ran, v));
    }
    /// Output j of v takes over a storage. False: that is illegal now.
    auto overwrite(position& p, move const& m, std::vector<slot>& fresh) const -> bool;
    auto mutate(position& p, operation_index v, std::size_t k, std::vector<slot>& fresh) const -> bool;
    /// Makes the view of v refer to the storages that v reads.
    auto look_at_owners(position& p, operation_index v, value_index view) const -> bool;
    void put(position& p, value_index x, std::size_t at, slot id) const;
    /// The position after a computation, if it is legal now, and within the budget.
    [[nodiscard]] auto after(position const& p, move const& m) const -> std::optional<position>;
    void let_go(position& p, value_index x) const;
    void drop_useless(position& p) const;
    void reach(position const& p, node made);

    // Positions in a few bytes: slots, the sizes of storages in the order of their appearance, two words, and whether
    // the boundary is crossed.
    void write_key(position const& p);
    [[nodiscard]] auto key(node_index i) const -> std::uint8_t const* { return keys_.data() + i * stride_; }
    [[nodiscard]] auto position_of(node_index i) const -> position;
    [[nodiscard]] auto slot_of(std::uint8_t const* key) const -> std::size_t;
    void grow();

    dataflow const& flow_;
    bytes budget_;
    std::optional<std::int64_t> cutoff_;
    std::vector<bytes> sizes_;             // that storages may have
    std::vector<bit_set> reads_, writes_;  // by operation
    std::vector<bit_set> after_;           // by operation: its control predecessors
    bool has_circles_ = false;             // an operation reads what a later one may make
    std::vector<bit_set> alternatives_;    // by sink: its values, if each has several producers
    bit_set sinks_ = 0, results_ = 0, single_ = 0;
    bit_set counted_ = 0;                 // operations for which it counts that they ran
    bit_set counted_values_ = 0;          // values for which it counts that some operation computed them
    bit_set forward_ = 0, backward_ = 0;  // operations of two passes; none without policies
    bit_set recomputed_ = 0;              // values that must not be in memory at the boundary
    std::size_t stride_ = 0, units_ = 1;
    std::vector<std::uint8_t> keys_, made_key_;  // by node; of one position
    std::vector<node> nodes_;
    std::vector<node_index> slots_;  // of a hash table of positions
    std::vector<entry> queue_;
    std::int64_t lower_bound_ = 0;
    node_index last_ = none;
    bool begun_ = false;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/orders/placement_search.ipp>
#endif

#endif
