#ifndef REPEBBLE_TRAINING_RESIDENT_TENSORS_HPP
#define REPEBBLE_TRAINING_RESIDENT_TENSORS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/with_values.hpp>
#include <repebble/training/device.hpp>
#include <repebble/training/executable_model.hpp>
#include <repebble/training/initial_values.hpp>

namespace repebble::training {

/// What a model has on a device whatever the plan: its inputs, its parameters, for those that are trained a velocity
/// and, unless it lies in the plan, a gradient, and where the model's values are bfloat16 a copy as such, which follows
/// every change. All of these but the inputs and the copies are float32.
template <computing_device Device>
class resident_tensors {
  public:
    /// All of it, with first values by a seed. The model must outlive it.
    resident_tensors(networks::model const& m, Device& device, std::uint64_t seed,
                     gradient_place where = gradient_place::beside_plan)
        : resident_tensors(m, device, m.parameters(), where) {
        for_each_initial_value(m, seed, [&](std::size_t p, std::vector<std::byte> const& values) {
            device.upload(addresses_.parameters[p], values.data(), static_cast<bytes>(values.size()));
        });
        refresh_copies();
    }
    /// Inputs only: for who runs a model on the parameters of another one.
    resident_tensors(networks::model const& m, Device& device)
        : resident_tensors(m, device, std::span<networks::parameter const>(), gradient_place::beside_plan) {}

    /// Bytes of all of it, before it is there.
    [[nodiscard]] static auto size_of(networks::model const& m, gradient_place where = gradient_place::beside_plan)
        -> bytes {
        return sections_of(m, m.parameters(), where).size;
    }

    [[nodiscard]] auto addresses() const noexcept -> resident_memory const& { return addresses_; }
    [[nodiscard]] auto size() const noexcept -> bytes { return size_; }

    /// As the input lies in memory: see `layouts_of`.  Throws bad_graph where it is not as large as the input.
    void set_input(std::size_t i, std::span<std::byte const> values) {
        auto const& input = inputs_[i];
        if (static_cast<bytes>(values.size()) != input.tensor.size())
            throw bad_graph("the input " + input.name + " has " + std::to_string(input.tensor.size()) +
                            " bytes, and is given " + std::to_string(values.size()));
        device_->upload(addresses_.inputs[i], values.data(), input.tensor.size());
    }
    /// Requires: gradients lie here.
    void step(sgd const& how) {
        REPEBBLE_ASSERT(gradients_ != nullptr);
        device_->update(memory_.data(), gradients_, velocities_, trained_size_ / 4, how);
        refresh_copies();
    }
    /// With gradients that lie elsewhere: of every parameter, nullptr where there is none.
    void step(sgd const& how, std::span<std::byte* const> gradients) {
        for (std::size_t p = 0; p < gradients.size(); ++p) {
            auto* const at = addresses_.parameters[p];
            if (gradients[p] != nullptr)
                device_->update(at, gradients[p], velocities_ + (at - memory_.data()), parameters_[p].tensor.size() / 4,
                                how);
        }
        refresh_copies();
    }

    /// Of every parameter; nothing where it is not trained.
    [[nodiscard]] auto gradients() const -> std::vector<std::vector<std::byte>> { return read(addresses_.gradients); }
    /// Bytes at addresses of the device, as many as each parameter has; nothing at nullptr.
    [[nodiscard]] auto read(std::span<std::byte* const> from) const -> std::vector<std::vector<std::byte>> {
        std::vector<std::vector<std::byte>> all(from.size());
        for (std::size_t p = 0; p < from.size(); ++p) {
            if (from[p] == nullptr) continue;
            all[p].resize(static_cast<std::size_t>(parameters_[p].tensor.size()));
            device_->download(all[p].data(), from[p], static_cast<bytes>(all[p].size()));
        }
        return all;
    }
    /// Of every parameter, those that are not trained too.
    [[nodiscard]] auto parameters() const -> std::vector<std::vector<std::byte>> { return read(addresses_.parameters); }
    /// Back to values that `parameters` gave, and to no velocity.
    void reset(std::vector<std::vector<std::byte>> const& values) {
        if (gradients_ != nullptr) clear(gradients_, trained_size_);
        clear(velocities_, trained_size_);
        for (std::size_t p = 0; p < values.size(); ++p)
            device_->upload(addresses_.parameters[p], values[p].data(), static_cast<bytes>(values[p].size()));
        refresh_copies();
    }

  private:
    static constexpr bytes alignment = 256;

    /// Where everything begins in one block, in this order: trained parameters, others, gradients, velocities, copies,
    /// inputs.
    struct sections {
        std::vector<bytes> values{}, inputs{};  // those of trained parameters first
        bytes trained_size = 0, gradients = 0, velocities = 0, copies = 0, size = 0;
    };
    [[nodiscard]] static auto sections_of(networks::model const& m, std::span<networks::parameter const> parameters,
                                          gradient_place where) -> sections {
        sections s;
        auto const place = [&s](networks::tensor const& t) {
            auto const at = s.size;
            s.size = checked_add(s.size, checked_add(t.size(), alignment - 1) / alignment * alignment);
            return at;
        };
        for (auto const& p : parameters)
            if (p.trained) s.values.push_back(place(p.tensor));
        s.trained_size = s.size;
        for (auto const& p : parameters)
            if (!p.trained) s.values.push_back(place(p.tensor));
        s.gradients = s.size;
        if (where == gradient_place::beside_plan) s.size = checked_add(s.size, s.trained_size);
        s.velocities = s.size;
        s.size = checked_add(s.size, s.trained_size);
        s.copies = s.size;
        if (networks::has_values_of(m, networks::element::bfloat16))
            s.size = checked_add(s.size, (s.trained_size / 2 + alignment - 1) / alignment * alignment);
        for (auto const& input : m.inputs()) s.inputs.push_back(place(input.tensor));
        return s;
    }

    resident_tensors(networks::model const& m, Device& device, std::span<networks::parameter const> parameters,
                     gradient_place where)
        : device_(&device), inputs_(m.inputs()), parameters_(parameters) {
        bool const copied = networks::has_values_of(m, networks::element::bfloat16);
        if (copied && !bfloat16_device<Device>)
            throw bad_graph(m.name() + ": its values are bfloat16, which this device does not compute with");
        auto const in_block = sections_of(m, parameters, where);
        size_ = in_block.size;
        trained_size_ = in_block.trained_size;

        memory_ = device.allocate(pool::device, size_, alignment);
        clear(memory_.data(), size_);
        bool const has_gradients = where == gradient_place::beside_plan;
        if (has_gradients) gradients_ = memory_.data() + in_block.gradients;
        velocities_ = memory_.data() + in_block.velocities;
        std::size_t trained = 0;
        auto next_other = static_cast<std::size_t>(count_trained());
        for (auto const& p : parameters_) {
            auto const at = in_block.values[p.trained ? trained++ : next_other++];
            addresses_.parameters.push_back(memory_.data() + at);
            addresses_.gradients.push_back(p.trained && has_gradients ? gradients_ + at : nullptr);
            if (copied) addresses_.copies.push_back(p.trained ? memory_.data() + in_block.copies + at / 2 : nullptr);
        }
        if (copied) copies_ = memory_.data() + in_block.copies;
        for (auto const at : in_block.inputs) addresses_.inputs.push_back(memory_.data() + at);
    }

    void refresh_copies() {
        if constexpr (bfloat16_device<Device>)
            if (copies_ != nullptr) device_->to_bfloat16(copies_, memory_.data(), trained_size_ / 4);
        if constexpr (filter_arranging_device<Device>)
            for (std::size_t p = 0; p < addresses_.copies.size(); ++p)
                if (addresses_.copies[p] != nullptr && changes_with_channels_last(parameters_[p].tensor))
                    device_->filter_to_bfloat16(addresses_.copies[p], addresses_.parameters[p], parameters_[p].tensor);
    }
    /// A filter whose bytes are others with its channels at the end.
    [[nodiscard]] static auto changes_with_channels_last(networks::tensor const& t) -> bool {
        return t.rank() == 4 && t.shape[1] > 1 && t.shape[2] * t.shape[3] > 1;
    }
    void clear(std::byte* at, bytes size) {
        std::vector<std::byte> const zeros(static_cast<std::size_t>(std::min<bytes>(size, bytes{1} << 20U)));
        for (bytes done = 0; done < size; done += static_cast<bytes>(zeros.size()))
            device_->upload(at + done, zeros.data(), std::min(size - done, static_cast<bytes>(zeros.size())));
    }
    [[nodiscard]] auto count_trained() const -> std::ptrdiff_t {
        return std::ranges::count_if(parameters_, [](auto const& p) { return p.trained; });
    }
    using memory = decltype(std::declval<Device&>().allocate(pool::device, bytes{}, bytes{}));

    Device* device_;
    std::span<networks::parameter const> inputs_, parameters_;
    bytes size_ = 0;
    bytes trained_size_ = 0;
    memory memory_{};
    std::byte* gradients_ = nullptr;
    std::byte* velocities_ = nullptr;
    std::byte* copies_ = nullptr;
    resident_memory addresses_{};
};

}  // namespace repebble::training

#endif
