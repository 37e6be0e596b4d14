#ifndef REPEBBLE_CHAINS_CHAIN_HPP
#define REPEBBLE_CHAINS_CHAIN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A way to run a stage forward so that it can run backward afterwards: what it keeps for that.
template <quantity Time = std::int64_t>
struct stage_tape {
    bytes saved = 0;               ///< all that is kept, the stage's output included, its input not
    bytes forward_workspace = 0;   ///< beside its input and what is saved, while it runs forward
    bytes backward_workspace = 0;  ///< beside its input, what is saved and both gradients, while it runs backward
    Time extra_time{};             ///< by which it takes longer than the stage's times say: something is made again

    friend auto operator==(stage_tape const&, stage_tape const&) -> bool = default;
};

/// One link of a chain. Workspaces may be negative: what a stage reads, writes and saves need not lie there all at
/// once.
template <quantity Time = std::int64_t>
struct chain_stage {
    Time forward_time{};
    Time backward_time{};
    bytes output = 0;                       ///< what the next stage reads
    bytes gradient = 0;                     ///< of the output
    bytes workspace = 0;                    ///< beside input and output, while it runs forward and saves nothing
    std::vector<stage_tape<Time>> tapes{};  ///< one at least

    friend auto operator==(chain_stage const&, chain_stage const&) -> bool = default;
};

/// Stages that each read what the one before wrote, and gradients that go the other way: the model of Beaumont et al.
/// 2019, where a stage may have several ways to save. The last stage is the loss, which as a rule has no output.
template <quantity Time = std::int64_t>
struct chain {
    bytes input = 0;           ///< what stage 0 reads; always there
    bytes input_gradient = 0;  ///< the gradient of the input, which is computed too
    std::vector<chain_stage<Time>> stages{};

    friend auto operator==(chain const&, chain const&) -> bool = default;
};

/// Which bytes a plan for a chain is tested by.
enum class memory_test : std::uint8_t {
    tight,  ///< those that are there
    /// As in Beaumont et al. 2019, where a stage that saves runs beside the gradient of its own output. Where the one
    /// that is there is larger, and so are workspaces, a plan may peak above its budget.
    published,
};

namespace detail {

/// Sums over a chain, checked.
template <quantity Time>
class chain_sums {
  public:
    /// Throws bad_weight, naming the stage, where a time or size is negative, a stage saves less than its output, or a
    /// sum does not fit; bad_graph where there is no stage, or no saving.
    explicit chain_sums(chain<Time> const& of) : of_(of) {
        if (of.stages.empty()) detail::raise(bad_graph("a chain has no stage"));
        static_cast<void>(to_quantity(of.input, [] { return std::string("the input of a chain"); }));
        static_cast<void>(
            to_quantity(of.input_gradient, [] { return std::string("the input's gradient of a chain"); }));
        auto const n = of.stages.size();
        bytes all = checked_add(of.input, of.input_gradient);
        forward_.assign(1, Time{});
        Time worst{};
        for (std::size_t i = 0; i < n; ++i) {
            auto const& s = of.stages[i];
            forward_.push_back(checked_add(forward_.back(), s.forward_time, "times"));
            once_ = checked_add(once_, checked_add(s.forward_time, s.backward_time, "times"), "times");
            worst = checked_add(worst, forward_.back(), "times");
            all = checked_add(all, checked_add(s.output, s.gradient));
            for (auto const& saving : s.tapes) {
                all = checked_add(all, saving.saved);
                all = checked_add(all, std::max<bytes>(0, saving.forward_workspace));
                all = checked_add(all, std::max<bytes>(0, saving.backward_workspace));
                worst = checked_add(worst, saving.extra_time, "times");
            }
            all = checked_add(all, std::max<bytes>(0, s.workspace));
            check(i);
        }
        worst_ = worst;
        static_cast<void>(checked_add(worst, once_, "times"));
    }

    [[nodiscard]] auto size() const noexcept { return of_.stages.size(); }
    [[nodiscard]] auto stage(std::size_t i) const -> chain_stage<Time> const& { return of_.stages[i]; }
    /// Bytes of what stage i reads, and of its gradient; i = size(): what the last writes.
    [[nodiscard]] auto value(std::size_t i) const -> bytes { return i == 0 ? of_.input : of_.stages[i - 1].output; }
    [[nodiscard]] auto gradient(std::size_t i) const -> bytes {
        return i == 0 ? of_.input_gradient : of_.stages[i - 1].gradient;
    }
    /// Of stages i … j - 1.
    [[nodiscard]] auto forward_time(std::size_t i, std::size_t j) const -> Time { return forward_[j] - forward_[i]; }
    /// Of all stages, forward and backward once.
    [[nodiscard]] auto time_once() const noexcept -> Time { return once_; }
    /// No optimal plan for a part of the chain has more overhead.
    [[nodiscard]] auto worst_overhead() const noexcept -> Time { return worst_; }

    /// Bytes beside its input while stage i runs forward and saves nothing. (It could save and then drop that.)
    [[nodiscard]] auto running(std::size_t i) const -> bytes {
        auto const& s = of_.stages[i];
        bytes least = s.output + s.workspace;
        for (auto const& saving : s.tapes) least = std::min(least, saving.saved + saving.forward_workspace);
        return least;
    }
    /// Bytes beside its input, and beside a gradient that waits, while stage i runs forward and saves.
    [[nodiscard]] auto saving(std::size_t i, std::size_t how) const -> bytes {
        auto const& s = of_.stages[i].tapes[how];
        return s.saved + s.forward_workspace;
    }
    /// Bytes beside its input while stage i runs backward.
    [[nodiscard]] auto reversing(std::size_t i, std::size_t how) const -> bytes {
        return reversing(i, of_.stages[i].tapes[how]);
    }

  private:
    void check(std::size_t i) const {
        auto const& s = of_.stages[i];
        auto const name = [i](char const* what) { return [i, what] { return named(i) + ": " + what; }; };
        static_cast<void>(to_quantity(s.forward_time, name("the forward time")));
        static_cast<void>(to_quantity(s.backward_time, name("the backward time")));
        static_cast<void>(to_quantity(s.output, name("the output's size")));
        static_cast<void>(to_quantity(s.gradient, name("the gradient's size")));
        if (s.tapes.empty()) detail::raise(bad_graph(named(i) + " has no way to save"));
        for (auto const& saving : s.tapes) {
            static_cast<void>(to_quantity(saving.extra_time, name("the extra time")));
            if (saving.saved < s.output)
                detail::raise(bad_weight(named(i) + " saves " + std::to_string(saving.saved) +
                                         " bytes, its output is " + std::to_string(s.output)));
            if (saving.saved + saving.forward_workspace < 0)
                too_little(i, "the forward workspace of a saving", saving.forward_workspace);
            if (reversing(i, saving) < 0)
                too_little(i, "the backward workspace of a saving", saving.backward_workspace);
        }
        if (s.output + s.workspace < 0) too_little(i, "the workspace", s.workspace);
    }
    [[noreturn]] static void too_little(std::size_t i, char const* what, bytes workspace) {
        detail::raise(
            bad_weight(named(i) + ": " + what + " takes more away than there is: " + std::to_string(workspace)));
    }
    [[nodiscard]] auto reversing(std::size_t i, stage_tape<Time> const& s) const -> bytes {
        return gradient(i) + gradient(i + 1) + s.saved + s.backward_workspace;
    }
    [[nodiscard]] static auto named(std::size_t i) -> std::string { return "stage " + std::to_string(i); }

    chain<Time> const& of_;
    std::vector<Time> forward_;
    Time once_{}, worst_{};
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
