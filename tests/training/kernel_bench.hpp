#ifndef REPEBBLE_TESTS_TRAINING_KERNEL_BENCH_HPP
#define REPEBBLE_TESTS_TRAINING_KERNEL_BENCH_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <repebble/training/bfloat16.hpp>
#include <repebble/training/random_arrays.hpp>

#include "stand_in.hpp"
#include "support/catch.hpp"
#include "train_cuda/handles.hpp"
#include "train_cuda/kernels.hpp"

namespace support {

namespace networks = repebble::networks;
namespace training = repebble::training;
using train_cuda::kernels::numbers;
using train_cuda::kernels::stored;
using train_cuda::kernels::target;
using doubles = std::vector<double>;

/// How arrays begin: where a block of memory does, or an element behind that.
enum class beginning : std::uint8_t { of_block, an_element_later };

/// Where kernels of the CUDA device are tried, one by one, on numbers that are stored in one way. Every array ends
/// where its block ends; by default it begins so that it is not aligned.
class kernel_bench {
  public:
    explicit kernel_bench(stored as, beginning where = beginning::an_element_later)
        : as_(as), where_(where), random_(1) {
        cuda_stand_in::begin();
    }

    /// Waits for what was launched.
    void run(cudaError_t launched) {
        REQUIRE(launched == cudaSuccess);
        INFO(cuda_stand_in::fault());
        REQUIRE(cudaStreamSynchronize(stream()) == cudaSuccess);
    }
    [[nodiscard]] auto stream() const -> cudaStream_t { return stream_.get(); }

    /// Values as they are after being stored so.
    [[nodiscard]] auto random(std::int64_t count, bool of_floats = false) -> doubles {
        auto const all = random_.floats(static_cast<std::size_t>(count), -1, 1);
        doubles values(all.begin(), all.end());
        for (auto& x : values) x = rounded(x, of_floats);
        return values;
    }
    [[nodiscard]] auto numbers_of(doubles const& values) -> numbers {
        std::vector<float> const floats(values.begin(), values.end());
        return {upload(training::as_stored(floats, element()), size_of_one()), as_};
    }
    [[nodiscard]] auto target_of(doubles const& values, bool add) -> target { return {numbers_of(values), add}; }
    /// That nobody has written yet.
    [[nodiscard]] auto room(std::int64_t count) -> numbers {
        return {allocate(static_cast<std::size_t>(count) * size_of_one(), size_of_one()), as_};
    }
    template <class T>
    [[nodiscard]] auto array(std::vector<T> const& values) -> T* {
        auto const* const bytes = reinterpret_cast<std::byte const*>(values.data());
        return reinterpret_cast<T*>(upload({bytes, bytes + values.size() * sizeof(T)}, sizeof(T)));
    }
    [[nodiscard]] auto floats_of(doubles const& values) -> float* {
        return array(std::vector<float>(values.begin(), values.end()));
    }
    template <class T = float>
    [[nodiscard]] auto room_for(std::int64_t count) -> T* {
        return reinterpret_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T), sizeof(T)));
    }

    template <class T>
    [[nodiscard]] auto read(T const* at, std::int64_t count) -> std::vector<T> {
        std::vector<T> values(static_cast<std::size_t>(count));
        run(cudaMemcpyAsync(values.data(), at, values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream()));
        return values;
    }
    [[nodiscard]] auto read(numbers x, std::int64_t count) -> doubles {
        if (x.as == stored::float32) return widened(read(static_cast<float const*>(x.at), count));
        std::vector<float> floats(static_cast<std::size_t>(count));
        auto const halves = read(static_cast<std::uint16_t const*>(x.at), count);
        for (std::size_t i = 0; i < halves.size(); ++i) floats[i] = training::from_bfloat16(halves[i]);
        return widened(floats);
    }
    [[nodiscard]] static auto widened(std::vector<float> const& floats) -> doubles {
        return {floats.begin(), floats.end()};
    }

    /// As far as the way of storing goes, and sums of floats: `scale` is how large terms get.
    void check(doubles const& found, doubles const& expected, bool of_floats = false, double scale = 1) const {
        REQUIRE(found.size() == expected.size());
        double const step = of_floats || as_ == stored::float32 ? 3e-6 : 0x1p-8;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i] == expected[i]) continue;
            INFO("element " << i << ": " << found[i] << " instead of " << expected[i]);
            REQUIRE(std::abs(found[i] - expected[i]) <= step * std::abs(expected[i]) + 3e-6 * scale);
        }
    }
    void check(numbers found, doubles const& expected, double scale = 1) {
        check(read(found, static_cast<std::int64_t>(expected.size())), expected, false, scale);
    }
    void check(float const* found, doubles const& expected, double scale = 1) {
        check(widened(read(found, static_cast<std::int64_t>(expected.size()))), expected, true, scale);
    }

  private:
    [[nodiscard]] auto rounded(double x, bool of_floats) const -> double {
        if (of_floats || as_ == stored::float32) return x;
        return training::from_bfloat16(training::to_bfloat16(static_cast<float>(x)));
    }
    [[nodiscard]] auto element() const -> networks::element {
        return as_ == stored::float32 ? networks::element::float32 : networks::element::bfloat16;
    }
    [[nodiscard]] auto size_of_one() const -> std::size_t { return as_ == stored::float32 ? 4 : 2; }
    [[nodiscard]] auto allocate(std::size_t size, std::size_t element) -> std::byte* {
        std::size_t const before = where_ == beginning::of_block ? 0 : element;
        void* at = nullptr;
        REQUIRE(cudaMalloc(&at, before + size) == cudaSuccess);
        memory_.emplace_back(at);
        return static_cast<std::byte*>(at) + before;
    }
    [[nodiscard]] auto upload(std::vector<std::byte> const& bytes, std::size_t element) -> std::byte* {
        auto* const at = allocate(bytes.size(), element);
        run(cudaMemcpyAsync(at, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream()));
        return at;
    }

    stored as_;
    beginning where_;
    repebble::training::random_arrays random_;
    train_cuda::stream_handle stream_{};
    std::vector<train_cuda::detail::owned<void*, &cudaFree>> memory_{};
};

/// A matrix, row by row.
struct extents {
    std::int64_t rows, columns;
    [[nodiscard]] auto count() const -> std::int64_t { return rows * columns; }
    [[nodiscard]] auto at(std::int64_t r, std::int64_t c) const -> std::size_t {
        return static_cast<std::size_t>(r * columns + c);
    }
};
/// f(row) for all rows of a matrix of the result.
template <class F>
[[nodiscard]] auto by_row(extents m, F f) -> doubles {
    doubles y(static_cast<std::size_t>(m.count()));
    for (std::int64_t r = 0; r < m.rows; ++r) {
        auto const row = f(r);
        for (std::int64_t c = 0; c < m.columns; ++c) y[m.at(r, c)] = row(c);
    }
    return y;
}
/// Values added to what was there.
[[nodiscard]] inline auto with(doubles const& before, doubles values) -> doubles {
    std::ranges::transform(values, before, values.begin(), std::plus{});
    return values;
}

inline constexpr stored both_ways[] = {stored::float32, stored::bfloat16};
inline constexpr beginning beginnings[] = {beginning::of_block, beginning::an_element_later};

}  // namespace support

#endif
