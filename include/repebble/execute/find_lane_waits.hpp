#ifndef REPEBBLE_EXECUTE_FIND_LANE_WAITS_HPP
#define REPEBBLE_EXECUTE_FIND_LANE_WAITS_HPP

// Which steps of a bound schedule must wait for which, where copies run beside computations: dependences between bytes
// (read after write, write after read, write after write) across lanes, reduced by vector clocks (Fidge 1988; Mattern
// 1989). The executor turns each wait into an event.
// Invariant: the waits and the order of the lanes imply all dependences; no wait follows from the others.

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include <repebble/execute/bound_schedule.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/pebbling/replay_clock.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace repebble::inline v0 {

/// The steps for which a step waits: at most one on each of the two other lanes.
class wait_list {
  public:
    /// Requires: fewer than two so far.
    constexpr void push_back(std::size_t step) { steps_[size_++] = step; }
    [[nodiscard]] constexpr auto size() const noexcept -> std::size_t { return size_; }
    [[nodiscard]] constexpr auto begin() const noexcept -> std::size_t const* { return steps_.data(); }
    [[nodiscard]] constexpr auto end() const noexcept -> std::size_t const* { return steps_.data() + size_; }
    friend constexpr auto operator==(wait_list const&, wait_list const&) -> bool = default;

  private:
    std::array<std::size_t, 2> steps_{};
    std::size_t size_ = 0;
};

/// A step on its lane.
struct lane_step {
    lane on = lane::compute;  ///< its lane
    bool signals = false;     ///< whether another lane waits for its end: an event belongs behind it
    wait_list waits{};        ///< steps of other lanes that must have ended before it begins
    friend constexpr auto operator==(lane_step const&, lane_step const&) -> bool = default;
};

/// A schedule on lanes, each in the order of the schedule.
struct lane_program {
    std::vector<lane_step> steps{};  ///< of each step of the schedule
    wait_list at_end{};  ///< for which the lane of computations waits behind its last step: then all lanes are idle
    friend auto operator==(lane_program const&, lane_program const&) -> bool = default;
};

/// Options of `find_lane_waits`.
struct lane_waits_options {
    bool half_duplex = false;  ///< copies out and in share the lane lane::offload
    bool poison = false;       ///< storages that end are written over: by the lane that was the last to use them
};

namespace detail {

/// The last steps on every byte of a pool, as an interval map.
class byte_accesses {
  public:
    /// A count per lane: of a step i its lane has i + 1.
    using lane_counts = std::array<std::size_t, 3>;

    explicit byte_accesses(std::vector<lane_step> const& steps) : steps_(steps) {}

    /// Raises `needed` to the steps on which a read, or a write, of the block depends.
    void add_dependences(block const& b, bool writes, lane_counts& needed);
    /// Step i reads or writes the block.  Requires: it comes after all on which it depends.
    void access(block const& b, bool writes, std::size_t i);

  private:
    struct piece {
        std::size_t written = 0;  // step + 1 of the last write
        lane_counts read{};       // on each lane: step + 1 of the last read since
    };

    /// The piece that begins at an offset.
    auto split(bytes offset) -> std::map<bytes, piece>::iterator;
    [[nodiscard]] auto index_of(std::size_t i) const -> std::size_t { return static_cast<std::size_t>(steps_[i].on); }
    void raise(lane_counts& needed, std::size_t count) const;

    std::vector<lane_step> const& steps_;
    std::map<bytes, piece> pieces_{{0, {}}};  // from its offset to the next one
};

/// Walks a schedule once, with the last accesses to every byte and a vector clock for each lane.
class lane_walk {
  public:
    lane_walk(bound_schedule const& plan, lane_waits_options const& options)
        : plan_(plan), options_(options), clocks_(plan.step_count()) {
        made_.steps.resize(plan.step_count());
    }

    [[nodiscard]] auto run() && -> lane_program;

  private:
    using lane_counts = byte_accesses::lane_counts;

    template <class Visit>
    void for_each_access(bound_step const& s, Visit const& visit) const {
        auto const source = s.what == action::prefetch ? pool::host : pool::device;
        auto const target = s.what == action::offload ? pool::host : pool::device;
        for (auto const& r : s.reads) visit(source, r.where, false);
        for (auto const& w : s.writes)
            if (w.what.value == w.owner) visit(target, w.where, true);  // making a view writes nothing
        if (s.workspace) visit(pool::device, *s.workspace, true);
        if (!options_.poison) return;
        for (auto const& b : s.ends) visit(pool::device, b, true);
        for (auto const& b : s.host_ends) visit(pool::host, b, true);
    }
    /// A discard belongs to the lane of the last step on which it depends: no other lane waits for that then.
    [[nodiscard]] auto lane_of(bound_step const& s, lane_counts const& needed) const -> lane;
    /// The steps for which lane l must wait so that it knows of so many; those that it knows of, and those of which
    /// another one of them knows, are left out.
    [[nodiscard]] auto wait_for(std::size_t l, lane_counts const& needed) -> wait_list;

    bound_schedule const& plan_;
    lane_waits_options options_;
    lane_program made_{};
    std::array<byte_accesses, 2> accesses_{byte_accesses(made_.steps), byte_accesses(made_.steps)};  // of each pool
    std::array<lane_counts, 3> known_{};  // of each lane: the steps that have ended when its next one begins
    std::vector<lane_counts> clocks_;     // of each step: the steps that have ended when it ends
};

}  // namespace detail

/// Puts the steps of a bound schedule on three lanes (computations, copies out, copies in) and returns the fewest waits
/// between them that keep every step behind all earlier ones on whose bytes it depends: a reader waits for the copy in,
/// and whatever takes memory for the copy out of it. Run so, a schedule takes no longer than on `lanes_clock`, and
/// computes what it computes step by step. Discards are steps only with `poison`, else they have no waits.
/// O(a log a) time for a accesses to blocks, O(a) space.
[[nodiscard]] inline auto find_lane_waits(bound_schedule const& plan, lane_waits_options const& options = {})
    -> lane_program {
    return detail::lane_walk(plan, options).run();
}

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/execute/find_lane_waits.ipp>
#endif

#endif
