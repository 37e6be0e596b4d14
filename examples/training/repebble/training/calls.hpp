#ifndef REPEBBLE_TRAINING_CALLS_HPP
#define REPEBBLE_TRAINING_CALLS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/training/layout.hpp>

namespace repebble::training {

/// A tensor and the storage in which it lies, or nullptr where it is not there: its layout is said all the same.
/// Element positions of the layout count from `storage`.
struct placed_tensor {
    training::layout layout{};
    std::byte* storage = nullptr;

    [[nodiscard]] auto is_there() const noexcept -> bool { return storage != nullptr; }
};

/// Memory without a shape.
struct memory_block {
    std::byte* data = nullptr;
    bytes size = 0;
};

/// An operation run forward. Inputs and outputs are in the order of the model. In place, the first output lies where an
/// input lies; nothing else overlaps. `repetition` counts its runs in this iteration: state that outlives the iteration
/// (running statistics) changes in run 0 only, and what was random there is the same again later.
struct forward_call {
    networks::operation const* operation = nullptr;
    std::uint32_t index = 0;  ///< of the operation
    std::uint32_t repetition = 0;
    bool training = true;  ///< false: inference, where dropout drops nothing and batch norm takes running statistics
    std::vector<placed_tensor> inputs{};
    std::vector<placed_tensor> outputs{};
    std::vector<std::byte*> parameters{};
    std::vector<std::byte*> parameter_copies{};  ///< as bfloat16, or nullptr: see `resident_memory`
    memory_block workspace{};                    ///< only this call's, while it runs
};

/// The gradient of a tensor, which lies in a storage as the tensor does in its own.
struct placed_gradient {
    placed_tensor where{};
    bool add = false;  ///< to what is there, rather than write over it
};

/// An operation run backward. Forward tensors that its kind does not need are not there; inputs of the model always
/// are, and so are the statistics of norms. The gradient of the loss by the loss itself is 1.
struct backward_call {
    networks::operation const* operation = nullptr;
    std::uint32_t index = 0;
    std::vector<placed_tensor> inputs{};
    std::vector<placed_tensor> outputs{};
    std::vector<placed_tensor> output_gradients{};   ///< of every output; not there where nobody reads it
    std::vector<placed_gradient> input_gradients{};  ///< to be written, of every input; not there for the model's own
    std::vector<memory_block> clear{};  ///< storages to be set to zero first: an input gradient is only a part of each
    std::vector<std::byte*> parameters{};
    std::vector<std::byte*> parameter_copies{};     ///< as bfloat16, or nullptr: see `resident_memory`
    std::vector<std::byte*> parameter_gradients{};  ///< of float32; nullptr where none is wanted
    std::vector<bool> add_parameter{};              ///< to what is there: an earlier call had the same parameter
    memory_block workspace{};                       ///< only this call's, while it runs
};

/// sum = first + second, of `size` bytes; the sum may lie over either.
struct accumulate_call {
    std::byte* sum = nullptr;
    std::byte const* first = nullptr;
    std::byte const* second = nullptr;
    bytes size = 0;
    networks::element type = networks::element::float32;
};

/// A call that is ready to run: whatever had to be allocated for it is.
class task {
  public:
    task() = default;
    task(task const&) = delete;
    auto operator=(task const&) -> task& = delete;
    virtual ~task() = default;
    virtual void run() = 0;
};

}  // namespace repebble::training

#endif
