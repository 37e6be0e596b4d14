#ifndef REPEBBLE_TESTS_TRACES_NAIVE_LANES_HPP
#define REPEBBLE_TESTS_TRACES_NAIVE_LANES_HPP

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/schedule.hpp>

namespace support {

/// Plays a schedule of a dataflow without views, alternatives and steps in place, as its rules read: sets of values in
/// two pools, three lanes. What a dropped operation writes does not exist.
class naive_lanes {
  public:
    using value = repebble::value_index;

    naive_lanes(repebble::dataflow const& of, repebble::host_link const& link, std::set<value> const& on_host = {},
                std::vector<bool> const& is_dropped = {})
        : host(on_host), of_(of), link_(link), is_dropped_(is_dropped) {
        is_dropped_.resize(of.operation_count(), false);
        ready_.resize(of.value_count(), 0);
        used_ = host_ready_ = host_used_ = ready_;
        for (repebble::operation_index v = 0; v < of.operation_count(); ++v)
            if (of.is_input(v))
                for (auto const x : of.writes(v))
                    if (!host.contains(x)) device.insert(x);
        note(0);
    }
    void play(repebble::schedule<> const& plan) {
        for (auto const& s : plan.steps) {
            if (is_dropped_[s.vertex]) continue;
            if (s.what == repebble::action::compute) {
                if (!of_.is_input(s.vertex)) compute(s.vertex);
                continue;
            }
            move(s.what, s.from, of_.writes(s.vertex)[s.output]);
        }
    }

    std::set<value> device{}, host;  ///< what lies there
    repebble::bytes peak = 0;
    std::int64_t once = 0;  ///< time of the operations that have run, each once
    bool is_legal = true;   ///< each step had what it needs
    [[nodiscard]] auto time() const -> std::int64_t { return std::max({compute_, out_, in_}); }

  private:
    void need(bool holds) { is_legal = is_legal && holds; }
    [[nodiscard]] auto exists(value x) const -> bool { return !is_dropped_[of_.producers(x).front()]; }
    void note(repebble::bytes workspace) {
        for (auto const x : device) workspace += of_.size(x);
        peak = std::max(peak, workspace);
    }
    void compute(repebble::operation_index v) {
        std::int64_t start = compute_;
        repebble::bytes taken = of_.workspace(v);
        for (auto const x : of_.reads(v)) {
            if (!exists(x)) continue;
            need(device.contains(x));
            start = std::max(start, ready_[x]);
        }
        for (auto const x : of_.ended(v)) {
            start = std::max(start, used_[x]);
            device.erase(x);
        }
        for (auto const x : of_.writes(v)) {
            taken += of_.size(x);
            device.insert(x);
        }
        note(of_.workspace(v));
        compute_ = (taken > 0 ? std::max(start, device_free_) : start) + of_.time(v);
        if (ran_.insert(v).second) once += of_.time(v);
        for (auto const x : of_.reads(v)) used_[x] = std::max(used_[x], compute_);
        if (of_.workspace(v) > 0) device_free_ = std::max(device_free_, compute_);
        for (auto const x : of_.writes(v)) ready_[x] = used_[x] = compute_;
    }
    void move(repebble::action what, repebble::pool from, value x) {
        auto const copy = link_.copy_time(of_.size(x));
        if (what == repebble::action::offload) {
            need(device.contains(x) && host.insert(x).second);
            out_ = std::max({out_, ready_[x], host_free_}) + copy;
            used_[x] = std::max(used_[x], out_);
            host_ready_[x] = host_used_[x] = out_;
        } else if (what == repebble::action::prefetch) {
            need(host.contains(x) && device.insert(x).second);
            in_ = std::max({in_, host_ready_[x], device_free_}) + copy;
            ready_[x] = used_[x] = host_used_[x] = in_;
            note(0);
        } else if (from == repebble::pool::device) {
            need(device.erase(x) == 1);
            device_free_ = std::max(device_free_, used_[x]);
        } else {
            need(host.erase(x) == 1);
            host_free_ = std::max(host_free_, host_used_[x]);
        }
    }

    repebble::dataflow const& of_;
    repebble::host_link link_;
    std::vector<bool> is_dropped_;
    std::vector<std::int64_t> ready_, used_, host_ready_, host_used_;
    std::set<repebble::operation_index> ran_{};
    std::int64_t compute_ = 0, out_ = 0, in_ = 0, device_free_ = 0, host_free_ = 0;
};

}  // namespace support

#endif
