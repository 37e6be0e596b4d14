#ifndef TRAIN_CPU_RECIPE_HPP
#define TRAIN_CPU_RECIPE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/training/calls.hpp>
#include <repebble/training/layout.hpp>

namespace train_cpu {

using repebble::bytes;
using repebble::networks::extent;
using repebble::training::layout;

/// A call that this device cannot make ready. The message names the operation.
struct cannot_compute : repebble::error {
    using error::error;
};

/// Where something of a call lies, before there are addresses: bytes behind the begin of a storage.
struct place {
    enum class role : std::uint8_t {
        nowhere,
        input,
        output,
        output_gradient,
        input_gradient,
        parameter,
        parameter_gradient,
        workspace,
        scratchpad,
        one  ///< a constant: the gradient of the loss by itself
    };
    static constexpr std::size_t roles = 10;
    role what = role::nowhere;
    std::size_t index = 0;
    bytes offset = 0;
};

/// What a computation is told when it runs.
struct run_context {
    std::uint64_t seed = 0;  ///< of what is random in this iteration
    std::uint32_t operation = 0;
    std::uint32_t repetition = 0;
};

using addresses = std::byte* const*;
using computation = std::function<void(addresses, run_context const&)>;

/// Where a gradient is computed, and where it has to be then.
struct destination {
    place computed{};
    layout as_computed{};
    bool add = false;  ///< who computes is to add to what is there
    bool moved = false;
    place wanted{};
    layout as_wanted{};
    bool add_moved = false;
};

/// The storages of a call, by role and index.
using address_book = std::array<std::vector<std::byte*>, place::roles>;

/// How a call is computed, wherever its tensors lie: steps of oneDNN and of this program, one after the other.
class recipe {
  public:
    struct argument {
        int name = 0;
        place where{};
        dnnl::memory::desc desc{};
    };
    struct step {
        dnnl::primitive primitive{};  ///< empty: `what` runs
        std::vector<argument> arguments{};
        computation what{};
        std::vector<place> places{};
    };

    /// Workspace until `release`.
    [[nodiscard]] auto reserve(bytes size) -> place;
    [[nodiscard]] auto reserved() const noexcept -> bytes { return reserved_; }
    /// Gives back all that was reserved since `reserved()` was `mark`.
    void release(bytes mark) noexcept { reserved_ = mark; }
    [[nodiscard]] auto workspace() const noexcept -> bytes { return scratchpad_offset() + scratchpad_; }
    [[nodiscard]] auto scratchpad_offset() const noexcept -> bytes { return highest_; }

    void compute(std::vector<place> places, computation what);
    /// Its scratchpad is the user's.
    template <class PrimitiveDesc>
    void execute(PrimitiveDesc const& pd, std::vector<argument> arguments) {
        add_primitive(dnnl::primitive(pd.get()), pd.scratchpad_desc(), std::move(arguments));
    }
    /// to = from, or to += from.
    void reorder(place from, dnnl::memory::desc const& from_desc, place to, dnnl::memory::desc const& to_desc,
                 bool add = false);

    /// The place of a tensor that is to be read in a certain layout: its own, or a copy in the workspace.
    [[nodiscard]] auto read(place from, layout const& actual, layout const& wanted) -> place;
    /// Where to compute in layout `computed` what is to lie in layout `wanted`. `deliver` moves it there.
    [[nodiscard]] auto write(place to, layout const& wanted, layout const& computed, bool add = false,
                             bool adds_itself = false) -> destination;
    void deliver(destination const& d);

    [[nodiscard]] auto steps() const noexcept -> std::vector<step> const& { return steps_; }

  private:
    void add_primitive(dnnl::primitive p, dnnl::memory::desc const& scratchpad, std::vector<argument> arguments);

    std::vector<step> steps_{};
    bytes reserved_ = 0;
    bytes highest_ = 0;
    bytes scratchpad_ = 0;
};

/// The recipe with everything in its place.
class ready_recipe final : public repebble::training::task {
  public:
    /// Requires: `seed` lives as long as the task.
    ready_recipe(std::shared_ptr<recipe const> how, address_book const& where, std::string name,
                 dnnl::stream const& stream, std::uint64_t const* seed, run_context context,
                 std::vector<repebble::training::memory_block> clear);
    void run() override;

  private:
    struct ready_step {
        dnnl_primitive_t primitive = nullptr;
        std::vector<dnnl_exec_arg_t> arguments{};
        computation const* what = nullptr;
        std::vector<std::byte*> addresses{};
    };

    std::shared_ptr<recipe const> how_;
    std::string name_;
    dnnl::stream stream_;
    std::uint64_t const* seed_;
    run_context context_;
    std::vector<repebble::training::memory_block> clear_;
    std::vector<dnnl::memory> memories_{};
    std::vector<ready_step> steps_{};
};

[[nodiscard]] auto address_book_of(repebble::training::forward_call const& call, recipe const& how) -> address_book;
[[nodiscard]] auto address_book_of(repebble::training::backward_call const& call, recipe const& how) -> address_book;

}  // namespace train_cpu

#endif
