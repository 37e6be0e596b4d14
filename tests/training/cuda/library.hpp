#ifndef REPEBBLE_TESTS_TRAINING_CUDA_LIBRARY_HPP
#define REPEBBLE_TESTS_TRAINING_CUDA_LIBRARY_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <cuda_bf16.h>

#include "stand_in.hpp"

/// What cuBLAS and cuDNN have in common, for operations that run as plain loops.
namespace cuda_stand_in {

/// An array of floats, or of bfloat16s: computed with as floats.
class array {
  public:
    array(void const* at, bool halves) : at_(static_cast<std::byte*>(const_cast<void*>(at))), halves_(halves) {}

    [[nodiscard]] auto operator[](std::int64_t i) const -> float {
        if (halves_) return __bfloat162float(reinterpret_cast<__nv_bfloat16 const*>(at_)[i]);
        return reinterpret_cast<float const*>(at_)[i];
    }
    /// alpha · value + beta · what is there, which is not read where beta is 0.
    void put(std::int64_t i, float value, float alpha = 1, float beta = 0) const {
        float const sum = alpha * value + (beta == 0 ? 0 : beta * (*this)[i]);
        if (halves_)
            reinterpret_cast<__nv_bfloat16*>(at_)[i] = __float2bfloat16(sum);
        else
            reinterpret_cast<float*>(at_)[i] = sum;
    }
    void read(std::int64_t begin, std::int64_t count) const { reads(at_ + begin * size(), bytes(count)); }
    void write(std::int64_t begin, std::int64_t count, float beta = 0) const {
        if (beta != 0) reads_own(at_ + begin * size(), bytes(count));
        writes(at_ + begin * size(), bytes(count));
    }
    [[nodiscard]] auto floats(std::int64_t count) const -> std::vector<float> {
        std::vector<float> all;
        for (std::int64_t i = 0; i < count; ++i) all.push_back((*this)[i]);
        return all;
    }

  private:
    [[nodiscard]] auto size() const -> std::int64_t { return halves_ ? 2 : 4; }
    [[nodiscard]] auto bytes(std::int64_t count) const -> std::size_t {
        return static_cast<std::size_t>(count * size());
    }
    std::byte* at_;
    bool halves_;
};

/// Whatever a library does with its workspace: all of it changes.
inline void use_workspace(void* at, std::size_t size) {
    writes(at, size);
    if (size > 0) std::memset(at, 0xFF, size);
}

[[nodiscard]] inline auto number_at(void const* factor) -> float { return *static_cast<float const*>(factor); }

}  // namespace cuda_stand_in

#endif
