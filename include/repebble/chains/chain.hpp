#ifndef REPEBBLE_CHAINS_CHAIN_HPP
#define REPEBBLE_CHAINS_CHAIN_HPP

// The chain model of Beaumont et al. 2019: stages in a row, each with one or several tapes, and the checked sums over
// a chain that all solvers read. solve_chain, bytes_to_keep_all and chain_dataflow build on it,
// and io/json_chain.hpp reads it from files.
// Invariant of chain_sums: no time or size that a solver adds up can overflow.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0 {

/// A tape of a stage: the values that a forward run of the stage saves for its backward run. Sizes in bytes.
struct stage_tape {
    bytes saved = 0;               ///< of all saved values, the stage's output included, its input not
    bytes forward_workspace = 0;   ///< beside the input and the saved values, while the stage runs forward
    bytes backward_workspace = 0;  ///< beside the input, saved values and both gradients, while it runs backward
    std::int64_t extra_time{};     ///< beyond the stage's own times: the backward run recomputes some values

    friend auto operator==(stage_tape const&, stage_tape const&) -> bool = default;
};

/// A stage of a chain. Workspaces may be negative: the values that a stage reads, writes and saves need not be
/// resident all at once.
struct chain_stage {
    std::int64_t forward_time{};            ///< of running it forward without a tape
    std::int64_t backward_time{};           ///< of running it backward
    bytes output = 0;                       ///< the value that the next stage reads
    bytes gradient = 0;                     ///< of the output
    bytes workspace = 0;                    ///< beside input and output, while it runs forward without a tape
    std::vector<stage_tape> tapes{};        ///< the choices; at least one

    friend auto operator==(chain_stage const&, chain_stage const&) -> bool = default;
};

/// A chain: stage i + 1 reads the output of stage i, and gradients flow backward. Beaumont et al. 2019, where a stage
/// may have several tapes. The last stage is the loss, which as a rule has no output.
struct chain {
    bytes input = 0;                          ///< the value that stage 0 reads; always resident
    bytes input_gradient = 0;                 ///< of the gradient of the input, which is computed too
    std::vector<chain_stage> stages{};        ///< in the order of the forward pass; the loss is the last

    friend auto operator==(chain const&, chain const&) -> bool = default;
};

/// The count of bytes by which a run of a stage is tested against the budget.
enum class memory_test : std::uint8_t {
    tight,  ///< the bytes of the resident values and the workspace
    /// As in Beaumont et al. 2019, where a stage that records a tape runs beside the gradient of its own output. A
    /// plan may peak above its budget where the resident gradient and the workspaces are larger.
    published,
};

namespace detail {

/// Sums of times and sizes over a chain, checked for overflow. O(stages + tapes) to build. Keeps a reference to the
/// chain.
class chain_sums {
  public:
    /// Throws bad_weight, naming the stage, where a time or size is negative, a tape is smaller than the output of its
    /// stage, or a sum does not fit in 64 bits; bad_graph where there is no stage, or a stage without a tape.
    explicit chain_sums(chain const& of);

    [[nodiscard]] auto size() const noexcept { return of_.stages.size(); }
    [[nodiscard]] auto stage(std::size_t i) const -> chain_stage const& { return of_.stages[i]; }
    /// Bytes of the input of stage i, and of its gradient; i = size(): of the last stage's output.
    [[nodiscard]] auto value(std::size_t i) const -> bytes { return i == 0 ? of_.input : of_.stages[i - 1].output; }
    [[nodiscard]] auto gradient(std::size_t i) const -> bytes {
        return i == 0 ? of_.input_gradient : of_.stages[i - 1].gradient;
    }
    /// Time to run stages i … j - 1 forward.
    [[nodiscard]] auto forward_time(std::size_t i, std::size_t j) const -> std::int64_t {
        return forward_[j] - forward_[i];
    }
    /// Time to run every stage forward and backward once.
    [[nodiscard]] auto time_once() const noexcept -> std::int64_t { return once_; }
    /// An upper bound on the overhead of an optimal plan for any subchain that discards no saved input; with those twice
    /// it bounds that of any, as a stage may run forward once for its tape and once for its output.
    [[nodiscard]] auto worst_overhead() const noexcept -> std::int64_t { return worst_; }

    /// Bytes beside its input while stage i runs forward for its output only. (It may record a tape and discard it.)
    [[nodiscard]] auto forward_bytes(std::size_t i) const -> bytes;
    /// Bytes beside its input, and beside a waiting gradient, while stage i runs forward and records a tape.
    [[nodiscard]] auto recording_bytes(std::size_t i, std::size_t tape) const -> bytes {
        auto const& s = of_.stages[i].tapes[tape];
        return s.saved + s.forward_workspace;
    }
    /// Bytes beside its input while stage i runs backward from a tape.
    [[nodiscard]] auto backward_bytes(std::size_t i, std::size_t tape) const -> bytes {
        return backward_bytes(i, of_.stages[i].tapes[tape]);
    }

  private:
    void check(std::size_t i) const;
    [[noreturn]] static void too_little(std::size_t i, char const* what, bytes workspace) {
        detail::raise(
            bad_weight(named(i) + ": " + what + " exceeds the bytes beside it: " + std::to_string(workspace)));
    }
    [[nodiscard]] auto backward_bytes(std::size_t i, stage_tape const& s) const -> bytes {
        return gradient(i) + gradient(i + 1) + s.saved + s.backward_workspace;
    }
    [[nodiscard]] static auto named(std::size_t i) -> std::string { return "stage " + std::to_string(i); }

    chain const& of_;
    std::vector<std::int64_t> forward_;
    std::int64_t once_{}, worst_{};
};

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/chains/chain.ipp>
#endif

#endif
