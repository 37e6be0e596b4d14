#ifndef REPEBBLE_IMPL_ORDERS_PATH_PROGRAM_IPP
#define REPEBBLE_IMPL_ORDERS_PATH_PROGRAM_IPP

#include <repebble/orders/detail/path_program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/orders/detail/typical_sequence.hpp>

namespace repebble::inline v0::detail {

/// The dynamic program over the bags that an order of introduction has.
class path_program {
  public:
    path_program(one_shot_game const& game, jagged_array<operation_index> const& links,
                 std::span<operation_index const> introduction, bytes upper, std::size_t states, double slack,
                 stop_test stop)
        : game_(game),
          introduction_(introduction),
          upper_(upper),
          planned_work_(work_of_a_state * states),
          most_work_(2 * planned_work_),
          slack_(slack),
          stop_(stop),
          last_link_(game.operation_count(), 0),
          closes_(game.storage_count(), 0),
          slot_(game.storage_count(), no_slot),
          number_(game.operation_count(), nobody),
          place_(game.operation_count(), place::anywhere),
          reached_(game.operation_count(), 0) {
        auto const begin = static_cast<operation_index>(game.operation_count());
        std::vector<std::pair<operation_index, std::uint32_t>> made;
        for (std::uint32_t s = 0; s < game.storage_count(); ++s) made.emplace_back(game.producer(s), s);
        makes_ = {game.operation_count(), made};
        for (std::size_t k = 0; k < introduction.size(); ++k) {
            auto const v = introduction[k];
            number_[v] = static_cast<operation_index>(k);
            for (auto const u : links[v]) last_link_[u] = std::max(last_link_[u], k);
            last_link_[v] = std::max(last_link_[v], k);
            for (auto const s : game.reads(v)) closes_[s] = k;
            for (auto const s : makes_[v]) closes_[s] = k;
        }
        bytes results = 0;
        for (std::uint32_t s = 0; s < game.storage_count(); ++s)
            if (game.stays(s) && game.start().contains(game.producer(s))) results += game.size(s);
        states_.push_back({{{begin, 0, 0, game.start_peak(), 0}}, {{results, begin}}, 0, begin});
        trace_.push_back({});
    }

    [[nodiscard]] auto run() -> path_program_result {
        for (now_ = 0; now_ < introduction_.size() && !states_.empty(); ++now_) {
            if (!introduce(introduction_[now_]))
                return {.states = work_ / work_of_a_state, .lacks_slack = lacks_slack()};
            keep_lowest();
        }
        path_program_result result{.bound = upper_, .states = work_ / work_of_a_state};
        for (auto const& s : states_)
            if (peak_of(s) < result.bound) result = {peak_of(s), order_of(s.trace), result.states};
        if (is_cut_) result.bound = 0;
        result.lacks_slack = lacks_slack();
        return result;
    }

  private:
    static constexpr std::size_t work_of_a_state = 64, work_of_an_extension = 8;
    static constexpr std::size_t most_reached = 100;                  // operations of one search for marks
    static constexpr std::size_t most_bytes = std::size_t{1} << 30U;  // of the characteristics
    static constexpr auto nobody = std::numeric_limits<operation_index>::max();
    static constexpr std::uint8_t no_slot = 64;

    enum class place : std::uint8_t { anywhere, before, after };

    /// A place in a partial order: a step of the bag, or the beginning, or one that was forgotten where storages end.
    struct marker {
        operation_index step = nobody;
        std::uint64_t ends = 0;  // storages with readers to come that end with it so far, by slot
        std::size_t first = 0;   // of the points behind it
        bytes during = 0;        // of the step, without what is in place
        bytes saved = 0;         // by being in place over a storage that has no reader to come
    };
    struct state {
        std::vector<marker> markers;
        std::vector<profile_point> points;  // those behind each marker are a typical sequence
        std::size_t trace;                  // the last step that was put
        operation_index after;              // behind which it was put
    };
    struct put {
        std::size_t before = 0;
        operation_index step = nobody, after = nobody;
    };
    using group = std::vector<state>;

    /// Puts v into all partial orders; false where a limit came first.
    [[nodiscard]] auto introduce(operation_index v) -> bool {
        if (!open_storages(v)) return false;
        say_places(v, place::before, place::after);
        std::unordered_map<std::string, std::size_t> number;  // of the group, by the sequence of the markers
        std::vector<group> groups;
        std::size_t all = 0;
        for (auto const& from : states_) {
            auto const [first, last] = stretches(from);
            for (auto k = first; k < last; ++k)
                for (auto const point : valleys(from, k)) {
                    work_ += work_of_an_extension;
                    if (work_ > most_work_ || stop_()) return false;
                    auto made = extended(from, k, point, v);
                    if (!made || peak_of(*made) >= upper_) continue;
                    auto reduced = forgotten(std::move(*made));
                    auto const [at, is_new] = number.emplace(key_of(reduced), groups.size());
                    if (is_new) groups.emplace_back();
                    all += bytes_of(reduced);
                    add(groups[at->second], std::move(reduced));
                    if (all > most_bytes) return stick();
                }
        }
        say_places(v, place::anywhere, place::anywhere);
        states_.clear();
        for (auto& members : groups)
            for (auto& made : members) {
                trace_.push_back({made.trace, v, made.after});
                made.trace = trace_.size() - 1;
                states_.push_back(std::move(made));
            }
        for (auto& s : slot_of_)
            if (s != nobody && closes_[s] == now_) slot_[std::exchange(s, nobody)] = no_slot;
        return true;
    }
    [[nodiscard]] auto lacks_slack() const -> bool { return is_cut_ && !is_stuck_; }
    auto stick() -> bool {
        is_stuck_ = true;
        return false;
    }
    /// Leaves so many states that the work will do for the introductions to come, as much for each of these.
    void keep_lowest() {
        made_ += states_.size();
        auto const work_of_one = static_cast<double>(work_ + 1) / static_cast<double>(made_ + 1);
        auto const left = static_cast<double>(planned_work_ - std::min(work_, planned_work_));
        auto const most = 1 + slack_ * left / work_of_one / static_cast<double>(introduction_.size() - now_);
        if (static_cast<double>(states_.size()) <= most) return;
        std::vector<std::tuple<bytes, double, std::size_t>> lowest;
        for (std::size_t k = 0; k < states_.size(); ++k)
            lowest.emplace_back(peak_of(states_[k]), sum_of(states_[k]), k);
        auto const end = lowest.begin() + static_cast<std::ptrdiff_t>(most);
        std::ranges::nth_element(lowest, end);
        std::ranges::sort(lowest.begin(), end, {}, [](auto const& one) { return std::get<2>(one); });
        group kept;
        for (auto at = lowest.begin(); at != end; ++at) kept.push_back(std::move(states_[std::get<2>(*at)]));
        states_ = std::move(kept);
        is_cut_ = true;
    }
    /// Gives slots to the storages that begin to have an end; false where there are not enough.
    [[nodiscard]] auto open_storages(operation_index v) -> bool {
        from_start_ = 0;
        auto const open = [&](std::uint32_t s) {
            auto const free = std::ranges::find(slot_of_, nobody);
            if (free == slot_of_.end()) return stick();
            *free = s;
            slot_[s] = static_cast<std::uint8_t>(free - slot_of_.begin());
            return true;
        };
        for (auto const s : game_.reads(v)) {
            bool const is_present = game_.start().contains(game_.producer(s));
            if (game_.stays(s) || !is_present || slot_[s] != no_slot) continue;
            if (!open(s)) return false;
            from_start_ |= bit_of(s);
        }
        return std::ranges::all_of(makes_[v],
                                   [&](auto s) { return game_.stays(s) || game_.readers(s).empty() || open(s); });
    }
    /// Marks what v runs after and before, of the operations that are introduced: those that paths lead to, through
    /// others that are not. Without such a mark a sequence may have no order at all, and take the place of one that
    /// has.
    void say_places(operation_index v, place of_earlier, place of_later) {
        mark_reached(v, of_earlier, [&](operation_index w, auto const& visit) {
            for (auto const u : game_.predecessors(w)) visit(static_cast<operation_index>(u));
            for (auto const s : game_.reads(w)) visit(game_.producer(s));
        });
        mark_reached(v, of_later, [&](operation_index u, auto const& visit) {
            for (auto const w : game_.successors(u)) visit(static_cast<operation_index>(w));
            for (auto const s : makes_[u])
                for (auto const w : game_.readers(s)) visit(w);
        });
    }
    template <class Neighbours>
    void mark_reached(operation_index v, place where, Neighbours const& neighbours) {
        ++reach_;
        std::vector<operation_index> queue{v};
        for (std::size_t k = 0; k < std::min(queue.size(), most_reached); ++k)
            neighbours(queue[k], [&](operation_index u) {
                if (number_[u] < now_) place_[u] = where;
                if (number_[u] > now_ && number_[u] != nobody && std::exchange(reached_[u], reach_) != reach_)
                    queue.push_back(u);
            });
    }
    [[nodiscard]] auto place_of(marker const& m) const -> place {
        return m.step < place_.size() ? place_[m.step] : place::anywhere;
    }
    /// The stretches into which the step may be put.
    [[nodiscard]] auto stretches(state const& from) const -> std::pair<std::size_t, std::size_t> {
        std::size_t first = 0, last = from.markers.size();
        for (std::size_t k = 0; k < from.markers.size(); ++k) {
            if (place_of(from.markers[k]) == place::before) first = k;
            if (place_of(from.markers[k]) == place::after) last = std::min(last, k);
        }
        return {first, last};
    }
    [[nodiscard]] static auto end_of(state const& of, std::size_t k) -> std::size_t {
        return k + 1 < of.markers.size() ? of.markers[k + 1].first : of.points.size();
    }
    [[nodiscard]] static auto valleys(state const& of, std::size_t k) -> std::vector<std::size_t> {
        auto const first = of.markers[k].first;
        auto const stretch = std::span(of.points).subspan(first, end_of(of, k) - first);
        std::vector<std::size_t> found;
        for (std::size_t j = 0; j < stretch.size(); ++j)
            if (is_valley(stretch, j)) found.push_back(first + j);
        return found;
    }
    /// The partial order with v put at a point of stretch k; nothing where its step alone takes too much.
    [[nodiscard]] auto extended(state const& from, std::size_t k, std::size_t point, operation_index v) const
        -> std::optional<state> {
        auto const at = k + 1;
        auto const here = from.points[point];
        bytes most_saved = 0;
        for (auto const& o : game_.overwrites(v)) most_saved = std::max(most_saved, o.size);
        if (here.size + game_.own_bytes(v) - most_saved >= upper_) return std::nullopt;
        state made{from.markers, {}, from.trace, here.after};
        made.markers[0].ends |= from_start_;
        for (auto q = at; q < made.markers.size(); ++q) ++made.markers[q].first;
        made.markers.insert(made.markers.begin() + static_cast<std::ptrdiff_t>(at),
                            {v, 0, point + 1, here.size + game_.own_bytes(v), 0});
        made.points.reserve(from.points.size() + 1);
        made.points.assign(from.points.begin(), from.points.begin() + static_cast<std::ptrdiff_t>(point) + 1);
        made.points.push_back({here.size, v});
        made.points.insert(made.points.end(), from.points.begin() + static_cast<std::ptrdiff_t>(point) + 1,
                           from.points.end());
        for (auto const s : game_.reads(v)) lengthen(made, s, at);
        for (auto const s : makes_[v]) begin(made, s, at);
        return made;
    }
    /// A storage does not end before the step at a marker; one that is not made so far is made before it.
    void lengthen(state& made, std::uint32_t s, std::size_t at) const {
        if (slot_[s] == no_slot) return;
        auto const bit = bit_of(s);
        for (std::size_t q = 0; q < at; ++q)
            if ((made.markers[q].ends & bit) != 0) {
                made.markers[q].ends &= ~bit;
                made.markers[at].ends |= bit;
                add_bytes(made, q, at, made.markers[at].first, game_.size(s));
            }
    }
    /// A storage begins with the step at a marker.
    void begin(state& made, std::uint32_t s, std::size_t at) const {
        if (game_.stays(s)) return add_bytes(made, at, made.markers.size() - 1, made.points.size(), game_.size(s));
        if (game_.readers(s).empty()) return;
        auto last = at;
        for (auto q = at + 1; q < made.markers.size(); ++q)
            if (std::ranges::binary_search(game_.readers(s), made.markers[q].step)) last = q;
        made.markers[last].ends |= bit_of(s);
        add_bytes(made, at, last, made.markers[last].first, game_.size(s));
    }
    /// More bytes behind a marker, up to the step at another one, or to the end.
    static void add_bytes(state& made, std::size_t from, std::size_t last, std::size_t end_of_points, bytes size) {
        for (auto q = from + 1; q <= last; ++q) made.markers[q].during += size;
        for (auto p = made.markers[from].first; p < end_of_points; ++p) made.points[p].size += size;
    }
    /// Bytes that the step saves where it is in place over one of these storages, by slot, or as it is already.
    [[nodiscard]] auto saved_over(marker const& m, std::uint64_t ends) const -> bytes {
        auto saved = m.saved;
        if (ends != 0 && m.step < place_.size())
            for (auto const& o : game_.overwrites(m.step))
                if (slot_[o.over] != no_slot && (ends & bit_of(o.over)) != 0) saved = std::max(saved, o.size);
        return saved;
    }
    /// No order that this one is a part of has a lower peak.
    [[nodiscard]] auto peak_of(state const& of) const -> bytes {
        bytes most = 0;
        for (auto const& m : of.markers) most = std::max(most, m.during - saved_over(m, m.ends));
        for (auto const& p : of.points) most = std::max(most, p.size);
        return most;
    }
    [[nodiscard]] static auto sum_of(state const& of) -> double {
        double sum = 0;
        for (auto const& m : of.markers) sum += static_cast<double>(m.during - m.saved);
        for (auto const& p : of.points) sum += static_cast<double>(p.size);
        return sum;
    }
    /// Without the steps whose links are introduced, and without the ends of storages that have no reader to come.
    [[nodiscard]] auto forgotten(state made) const -> state {
        state out{{}, {}, made.trace, made.after};
        std::uint64_t closing = 0;
        for (auto const s : slot_of_)
            if (s != nobody && closes_[s] == now_) closing |= bit_of(s);
        for (std::size_t k = 0; k < made.markers.size(); ++k) {
            auto m = made.markers[k];
            auto const first = m.first;
            m.saved = saved_over(m, m.ends & closing);
            m.ends &= ~closing;
            if (m.step < place_.size() && last_link_[m.step] <= now_) {
                append_typical(out.points, out.markers.back().first, {m.during - m.saved});
                m = {.ends = m.ends};
            }
            if (m.step != nobody || m.ends != 0) {
                m.first = out.points.size();
                out.markers.push_back(m);
            }
            for (auto p = first; p < end_of(made, k); ++p)
                append_typical(out.points, out.markers.back().first, made.points[p]);
        }
        return out;
    }
    [[nodiscard]] static auto key_of(state const& of) -> std::string {
        std::string key;
        for (auto const& m : of.markers)
            for (auto const word : {std::uint64_t{m.step}, m.ends})
                for (unsigned byte = 0; byte < 64; byte += 8) key.push_back(static_cast<char>(word >> byte & 0xFFU));
        return key;
    }
    [[nodiscard]] static auto bytes_of(state const& of) -> std::size_t {
        return sizeof(state) + of.markers.size() * sizeof(marker) + of.points.size() * sizeof(profile_point);
    }
    /// Adds a characteristic to those of the same markers, unless one of these has nowhere more; those that have
    /// nowhere less go.
    void add(group& members, state made) {
        work_ += members.size();
        if (std::ranges::any_of(members, [&](auto const& other) { return is_at_most(other, made); })) return;
        std::erase_if(members, [&](auto const& other) { return is_at_most(made, other); });
        members.push_back(std::move(made));
    }
    [[nodiscard]] static auto is_at_most(state const& a, state const& b) -> bool {
        for (std::size_t k = 0; k < a.markers.size(); ++k) {
            auto const &x = a.markers[k], &y = b.markers[k];
            if (x.during > y.during || x.during - x.saved > y.during - y.saved) return false;
            if (!detail::is_at_most(std::span(a.points).subspan(x.first, end_of(a, k) - x.first),
                                    std::span(b.points).subspan(y.first, end_of(b, k) - y.first)))
                return false;
        }
        return true;
    }
    [[nodiscard]] auto bit_of(std::uint32_t s) const -> std::uint64_t { return std::uint64_t{1} << slot_[s]; }
    [[nodiscard]] auto order_of(std::size_t trace) const -> std::vector<operation_index> {
        std::vector<put> puts;
        for (; trace != 0; trace = trace_[trace].before) puts.push_back(trace_[trace]);
        auto const begin = static_cast<operation_index>(game_.operation_count());
        std::vector<operation_index> next(game_.operation_count() + 1, nobody), order;
        for (auto p = puts.rbegin(); p != puts.rend(); ++p) next[p->step] = std::exchange(next[p->after], p->step);
        for (auto v = next[begin]; v != nobody; v = next[v]) order.push_back(v);
        return order;
    }

    one_shot_game const& game_;
    std::span<operation_index const> introduction_;
    bytes upper_;
    std::size_t planned_work_, most_work_, work_ = 0, now_ = 0;
    double slack_;  // an introduction may have so many times its part of the work that is left: most need less
    stop_test stop_;
    jagged_array<std::uint32_t> makes_{};  // storages by operation
    std::vector<std::size_t> last_link_;   // when an operation may be forgotten
    std::vector<std::size_t> closes_;      // when the last operation of a storage is introduced
    std::vector<std::uint8_t> slot_;       // of storages
    std::vector<std::uint32_t> slot_of_ = std::vector<std::uint32_t>(no_slot, nobody);  // the storage of a slot
    std::uint64_t from_start_ = 0;         // slots of inputs whose first reader is introduced
    std::vector<operation_index> number_;  // in the introduction
    std::vector<place> place_;
    std::vector<std::size_t> reached_;        // the last search that came there
    std::size_t reach_ = 0, made_ = 0;        // searches; states of all introductions, before cuts
    bool is_cut_ = false, is_stuck_ = false;  // states were left out; slots or memory ran out
    std::vector<state> states_{};
    std::vector<put> trace_{};
};

REPEBBLE_INLINE auto run_path_program(one_shot_game const& game, jagged_array<operation_index> const& links,
                                      std::span<operation_index const> introduction, bytes upper, std::size_t states,
                                      double slack, stop_test stop) -> path_program_result {
    return path_program(game, links, introduction, upper, states, slack, stop).run();
}

}  // namespace repebble::inline v0::detail

#endif
