#ifndef REPEBBLE_ORDERS_DETAIL_SMALL_GAME_HPP
#define REPEBBLE_ORDERS_DETAIL_SMALL_GAME_HPP

// The pebble game in machine words, for at most 64 operations and values: states are two bitsets. The exact searches of
// `find_optimal_pebbling` and `find_least_peak` run on it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/plain_dataflow.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// A set of up to 64 operations, or of up to 64 values.
using bit_set = std::uint64_t;

[[nodiscard]] constexpr auto bit(std::size_t i) -> bit_set { return bit_set{1} << i; }
[[nodiscard]] constexpr auto has_bit(bit_set set, std::size_t i) -> bool { return (set >> i & 1U) != 0; }

/// Calls f(i) for every member, in ascending order.
template <class F>
constexpr void for_each_bit(bit_set set, F&& f) {
    for (; set != 0; set &= set - 1) f(static_cast<std::size_t>(std::countr_zero(set)));
}

/// A state of the game.
struct game_state {
    bit_set resident = 0;  ///< resident values
    bit_set done = 0;      ///< those sinks and non-recomputable operations that have run
    friend constexpr auto operator==(game_state const&, game_state const&) -> bool = default;
};

/// The pebble game with at most 64 operations and 64 values. Operations are numbered in topological order. Values are
/// numbered by the time per byte of their recomputation, ascending; those that cannot be recomputed come last. A view
/// is a value of no bytes: what reads it reads its owners with bytes, too, and it goes with each of these.
class small_game {
  public:
    static constexpr std::size_t most = 64;
    static constexpr std::size_t several = most;  ///< as a producer: the value has several

    struct operation {
        std::int64_t time{};
        bytes allocates = 0;   ///< bytes of outputs and workspace
        bit_set reads = 0;     ///< values
        bit_set writes = 0;    ///< values
        bit_set marks = 0;     ///< the bits that it adds to `done`
        bit_set ends = 0;      ///< values that it overwrites, and their views
        bit_set replaces = 0;  ///< views of what it writes
        bit_set over = 0;      ///< values that it may overwrite
        bytes in_place = 0;    ///< most bytes that an overwrite spares
        operation_index original = 0;
    };
    struct value {
        bytes size = 0;
        double density = 0;              ///< its producer's time per byte of all outputs of the producer
        std::size_t producer = several;  ///< the only operation that writes it
    };

    /// The game on a dataflow.  O(n + m).  Throws limit_reached where there are too many operations or values.
    explicit small_game(dataflow const& given) : small_game(make_plain(with_run_once(given)), given) {}

    /// Whether there are few enough operations, values, and alternatives to sinks.  O(n + m).
    [[nodiscard]] static auto fits(dataflow const& given) -> bool {
        if (std::max(given.operation_count(), given.value_count()) > most) return false;
        auto const plain = make_plain(with_run_once(given));
        auto const& flow = plain.flow;
        std::size_t marks = 0;  // as `mark_sinks` counts them, or more
        for (operation_index v = 0; v < flow.operation_count(); ++v)
            if (flow.is_sink(v) || !flow.recomputable(v)) ++marks;
        for (std::size_t x = 0; x < flow.value_count(); ++x)
            if (flow.readers(x).empty() && flow.producers(x).size() > 1) ++marks;
        return std::max({flow.operation_count(), flow.value_count(), marks}) <= most;
    }

    /// The number of operations of the dataflow. Others of the game stand for what a plain dataflow cannot say.
    [[nodiscard]] auto original_count() const noexcept -> std::size_t { return original_count_; }
    [[nodiscard]] auto size() const -> std::size_t { return operations_.size(); }
    [[nodiscard]] auto operator[](std::size_t v) const -> operation const& { return operations_[v]; }
    [[nodiscard]] auto value_count() const -> std::size_t { return values_.size(); }
    [[nodiscard]] auto value_at(std::size_t x) const -> value const& { return values_[x]; }
    /// Values that only one operation writes.
    [[nodiscard]] auto singly_written() const -> bit_set { return single_; }
    /// The value, and its views.
    [[nodiscard]] auto goes_with(std::size_t x) const -> bit_set { return bit(x) | views_of_[x]; }
    /// Values that are views.
    [[nodiscard]] auto views() const -> bit_set { return views_; }
    /// Whether every schedule is a way through the game. Else one may keep a view of an older computation of a value
    /// that was computed again beside another output, or to be written over.
    [[nodiscard]] auto has_all_moves() const noexcept -> bool { return has_all_moves_; }
    /// Operations that are not recomputable, and (below) values whose only producer is one.
    [[nodiscard]] auto once() const -> bit_set { return once_; }
    [[nodiscard]] auto written_once() const -> bit_set { return written_once_; }

    /// Sum of the bytes of some values.
    [[nodiscard]] auto bytes_of(bit_set values) const -> bytes {
        bytes sum = 0;
        for (std::size_t i = 0; values != 0; ++i, values >>= 8U) sum += sums_[i][values & 255U];
        return sum;
    }
    /// Bytes of the inputs, outputs and workspace of v together, in place if possible.
    [[nodiscard]] auto needed_by(std::size_t v) const -> bytes {
        return bytes_of(operations_[v].reads) + operations_[v].allocates - operations_[v].in_place;
    }
    /// Sinks that have not run.
    [[nodiscard]] auto waiting(bit_set done) const -> bit_set { return sinks_ & ~done; }
    /// Waiting sinks that must run themselves: no other operation writes one of their values.
    [[nodiscard]] auto demanded(bit_set done) const -> bit_set { return waiting(done) & ~replaceable_; }

    /// The bits that `done` lacks for the game to be finished, alternatives to sinks among them.
    [[nodiscard]] auto goals(bit_set done) const -> bit_set {
        bit_set lacking = waiting(done);
        for_each_bit(lacking & replaceable_, [&](std::size_t s) { lacking |= alternatives_[s] & ~done; });
        return lacking;
    }

    struct outlook {
        bit_set operations = 0;  ///< that may still be useful
        bit_set values = 0;      ///< that they read
        bit_set goals = 0;
    };
    /// The operations, values and goals that can still be useful.  O(operations).
    [[nodiscard]] auto useful(bit_set done) const -> outlook {
        outlook ahead;
        ahead.goals = goals(done);
        bit_set const spent = once_ & done;
        bit_set before = 0;
        do {
            before = ahead.values;
            for (std::size_t v = size(); v-- > 0;) {
                auto const& o = operations_[v];
                if (has_bit(spent, v) || ((o.marks & ahead.goals) == 0 && (o.writes & ahead.values) == 0)) continue;
                ahead.operations |= bit(v);
                ahead.values |= operations_[v].reads;
            }
        } while (has_circles_ && ahead.values != before);
        return ahead;
    }
    /// The set `done` after v has run.
    [[nodiscard]] auto done_after(bit_set done, std::size_t v) const -> bit_set {
        done |= operations_[v].marks;
        for_each_bit(replaceable_ & ~done, [&](std::size_t s) {
            if ((done & alternatives_[s]) == alternatives_[s]) done |= bit(s);
        });
        return done;
    }

  private:
    /// With the operations that can run only once as what they overwrite cannot be made again.
    static auto with_run_once(dataflow const& flow) -> dataflow {
        std::vector<operation_index> once;
        std::vector<bool> again(flow.operation_count());
        for (operation_index v = 0; v < flow.operation_count(); ++v) again[v] = flow.recomputable(v);
        std::size_t before = 0;
        do {  // once, but where producers lead in a circle
            before = once.size();
            for (auto const v : flow.order())
                for (auto const& m : flow.mutations(v)) {
                    auto const producers = flow.producers(flow.owners(m.over).front());
                    if (!again[v] || producers.size() > 1 || again[producers.front()]) continue;
                    again[v] = false;
                    once.push_back(v);
                }
        } while (once.size() > before);
        return once.empty() ? flow : edit(flow, {.run_once = std::move(once)});
    }

    small_game(plain_dataflow const& plain, dataflow const& given) : original_count_(given.operation_count()) {
        auto const& flow = plain.flow;
        check_limit(flow.operation_count(), "operations");
        check_limit(flow.value_count(), "values");
        auto const number = number_values(flow);
        add_views(flow, number);
        for (auto const v : flow.order()) add_operation(flow, v, number);
        for (std::size_t x = 0; x < flow.value_count(); ++x) add_value(flow, x, number);
        mark_sinks(flow, number);
        add_up();
        add_overwrites(flow, given, number);
    }

    static void check_limit(std::size_t count, char const* what) {
        if (count > most)
            detail::raise(limit_reached(std::to_string(count) + " " + what + ": an optimal pebbling takes at most " +
                                        std::to_string(most)));
    }
    static auto cannot_be_recomputed(dataflow const& flow, std::size_t x) -> bool {
        return flow.producers(x).size() == 1 && !flow.recomputable(flow.producers(x).front());
    }
    static auto output_bytes(dataflow const& flow, std::size_t v) -> bytes {
        bytes sum = 0;
        for (auto const x : flow.writes(v)) sum += flow.size(x);
        return sum;
    }

    static auto density(dataflow const& flow, std::size_t x) -> double {
        auto const u = flow.producers(x).front();
        return flow.size(x) == 0 ? 0.0 : static_cast<double>(flow.time(u)) / static_cast<double>(output_bytes(flow, u));
    }

    /// The new number of every value: by density, those that cannot be recomputed last.
    static auto number_values(dataflow const& flow) -> std::vector<std::size_t> {
        std::vector<std::size_t> by_density;
        for (std::size_t x = 0; x < flow.value_count(); ++x) by_density.push_back(x);
        auto const key = [&](std::size_t x) { return std::pair{cannot_be_recomputed(flow, x), density(flow, x)}; };
        sort_by(by_density, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        std::vector<std::size_t> number(by_density.size());
        for (std::size_t k = 0; k < by_density.size(); ++k) number[by_density[k]] = k;
        return number;
    }

    void add_operation(dataflow const& flow, operation_index v, std::vector<std::size_t> const& number) {
        operation made{.time = flow.time(v), .allocates = flow.workspace(v), .original = v};
        for (auto const x : flow.reads(v)) {
            made.reads |= bit(number[x]);
            for (auto const owner : flow.owners(x))
                if (flow.size(owner) > 0) made.reads |= bit(number[owner]);
        }
        for (auto const x : flow.writes(v)) {
            made.writes |= bit(number[x]);
            if (flow.size(x) > 0) made.replaces |= views_of_[number[x]];
        }
        made.allocates += output_bytes(flow, v);
        for (auto const& earlier : operations_) has_circles_ = has_circles_ || (earlier.reads & made.writes) != 0;
        auto const own = bit(operations_.size());
        if (flow.is_sink(v)) sinks_ |= own;
        if (!flow.recomputable(v)) once_ |= own;
        if (flow.is_sink(v) || !flow.recomputable(v)) made.marks = own;
        operations_.push_back(made);
    }
    void add_views(dataflow const& flow, std::vector<std::size_t> const& number) {
        views_of_.assign(flow.value_count(), 0);
        for (std::size_t x = 0; x < flow.value_count(); ++x) {
            if (!flow.is_view(x)) continue;
            views_ |= bit(number[x]);
            for (auto const owner : flow.owners(x)) {
                views_of_[number[owner]] |= bit(number[x]);
                // There is one computation, or an older one takes nothing.
                if (cannot_be_recomputed(flow, owner) || flow.size(owner) == 0) continue;
                for (auto const u : flow.producers(owner))
                    if (flow.writes(u).size() > 1) has_all_moves_ = false;
            }
        }
    }
    void add_value(dataflow const& flow, std::size_t x, std::vector<std::size_t> const& number) {
        values_.resize(flow.value_count());
        auto& made = values_[number[x]];
        made.size = flow.size(x);
        made.density = density(flow, x);
        if (cannot_be_recomputed(flow, x)) written_once_ |= bit(number[x]);
        if (flow.producers(x).size() > 1) return;
        single_ |= bit(number[x]);
        for (std::size_t u = 0; u < size(); ++u)
            if (has_bit(operations_[u].writes, number[x])) made.producer = u;
    }
    void add_up() {
        for (std::size_t x = 0; x < values_.size(); ++x)
            for (std::size_t set = 0; set < 256; ++set)
                if (has_bit(set, x % 8)) sums_[x / 8][set] += values_[x].size;
    }
    void add_overwrites(dataflow const& flow, dataflow const& given, std::vector<std::size_t> const& number) {
        auto const usable = find_usable_overwrites(given);
        for (auto& o : operations_) {
            if (o.original >= given.operation_count()) continue;
            // A view may stay in one storage of a value while another, computed again, is written over.
            auto const overwrite_one = [&](value_index owner) {
                if (flow.size(owner) > 0 && views_of_[number[owner]] != 0 && !cannot_be_recomputed(flow, owner))
                    has_all_moves_ = false;
            };
            for (auto const& m : given.mutations(o.original)) {
                overwrite_one(given.owners(m.over).front());
                o.ends |= goes_with(number[given.owners(m.over).front()]);
                o.allocates -= flow.size(given.writes(o.original)[m.output]);
            }
            for (auto const& u : usable[o.original]) {
                auto const owner = given.owners(u.over).front();
                overwrite_one(owner);
                o.over |= bit(number[owner]);
                o.in_place = std::max(o.in_place, flow.size(owner));
            }
        }
    }
    /// A sink also counts as done when other operations have computed all its values: each such value needs a bit.
    void mark_sinks(dataflow const& flow, std::vector<std::size_t> const& number) {
        alternatives_.assign(size(), 0);
        bit_set taken = sinks_ | once_;
        std::vector<bit_set> bit_of(flow.value_count(), 0);
        for_each_bit(sinks_, [&](std::size_t s) {
            auto const outputs = flow.writes(operations_[s].original);
            if (outputs.empty() || std::ranges::any_of(outputs, [&](auto x) { return flow.producers(x).size() == 1; }))
                return;
            replaceable_ |= bit(s);
            for (auto const x : outputs) {
                if (bit_of[x] == 0) {
                    if (~taken == 0)
                        detail::raise(limit_reached("more alternatives to sinks than an optimal pebbling can count"));
                    bit_of[x] = ~taken & (taken + 1);
                    taken |= bit_of[x];
                    for (auto& u : operations_)
                        if (has_bit(u.writes, number[x])) u.marks |= bit_of[x];
                }
                alternatives_[s] |= bit_of[x];
            }
        });
    }

    std::vector<operation> operations_;
    std::vector<value> values_;
    std::array<std::array<bytes, 256>, 8> sums_{};  // bytes of every set of eight values
    std::vector<bit_set> alternatives_;             // of a replaceable sink: the bits of its outputs in `done`
    std::vector<bit_set> views_of_;                 // by value
    bit_set views_ = 0;
    std::size_t original_count_ = 0;
    bool has_all_moves_ = true;
    bool has_circles_ = false;  // an operation reads what a later one may make
    bit_set sinks_ = 0, once_ = 0, replaceable_ = 0, single_ = 0, written_once_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
