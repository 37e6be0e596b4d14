#ifndef REPEBBLE_PYTHON_CALLER_HPP
#define REPEBBLE_PYTHON_CALLER_HPP

// The caller of a search: its limits, its functions, and its signals.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

#include <repebble/graph/error.hpp>
#include <repebble/graph/limits.hpp>

#include "without_gil.hpp"

namespace repebble_python {

/// Calls Python at most every fiftieth of a second: the signals, and the caller's functions. The first exception of
/// either ends the search and is kept. An observer of `plan`.
class caller {
  public:
    caller(std::optional<double> seconds, std::optional<std::size_t> work, nb::object stop,
           nb::object progress = nb::none())
        : seconds_(seconds), work_(work), stop_(std::move(stop)), progress_(std::move(progress)) {}
    caller(caller const&) = delete;
    auto operator=(caller const&) -> caller& = delete;

    void progress(double share) { share_ = share; }
    void improved(std::int64_t overhead, std::int64_t lower_bound) {
        overhead_ = overhead;
        lower_bound_ = lower_bound;
    }
    [[nodiscard]] auto should_stop() -> bool {
        if (raised_ || stopped_) return true;
        auto const now = clock::now();
        if (now - last_ < interval) return false;
        interpreter_end::delay const delay;
        if (interpreter_end::is_near()) return true;
        nb::gil_scoped_acquire const held;
        try {
            if (PyErr_CheckSignals() != 0) nb::raise_python_error();
            if (!progress_.is_none()) progress_(share_, overhead_, lower_bound_);
            if (!stop_.is_none()) stopped_ = nb::cast<bool>(nb::bool_(stop_()));
        } catch (nb::python_error& e) {
            raised_.emplace(std::move(e));
        }
        last_ = clock::now();
        return raised_ || stopped_;
    }
    /// For a search that this outlives.
    [[nodiscard]] auto limits() -> repebble::limits {
        return {.seconds = seconds_, .work = work_, .stop = [this] { return should_stop(); }};
    }

    /// Runs `search()` without the GIL and returns its result.  Throws what Python raised.
    template <class Search>
    [[nodiscard]] auto run(Search const& search) {
        try {
            without_gil const released;
            return search();
        } catch (repebble::limit_reached const&) {
            throw_raised();
            throw;
        }
    }
    /// Throws what Python raised, unless it is a KeyboardInterrupt and there is an answer. Returns whether there was
    /// one.
    auto finish(bool has_answer) -> bool {
        if (raised_ && !(has_answer && raised_->matches(PyExc_KeyboardInterrupt))) throw_raised();
        return raised_.has_value();
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{20};

    void throw_raised() {
        if (raised_) throw std::move(*raised_);
    }

    std::optional<double> seconds_;
    std::optional<std::size_t> work_;
    nb::object stop_, progress_;
    bool stopped_ = false;
    double share_ = 0;
    std::optional<std::int64_t> overhead_;
    std::int64_t lower_bound_ = 0;
    clock::time_point last_ = clock::now();
    std::optional<nb::python_error> raised_;
};

}  // namespace repebble_python

#endif
