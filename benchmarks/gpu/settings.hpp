#ifndef GPU_TABLES_SETTINGS_HPP
#define GPU_TABLES_SETTINGS_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <repebble/graph/quantity.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/networks/tensor.hpp>

namespace gpu_tables {

/// What is trained.
struct subject {
    std::string name;
    repebble::networks::extent batch = 1;
    std::function<repebble::networks::model(repebble::networks::extent)> make;  ///< with a batch
};
/// All of them. dry: so small that the processor computes them in moments.
[[nodiscard]] auto subjects(bool dry) -> std::vector<subject>;

/// How a plan is made.
struct way {
    char const* name;
    char const* strategy;
    char const* budget;   ///< a share of keep_all's peak
    bool copies = false;  ///< over the measured link
};
/// keep_all is the first.
[[nodiscard]] auto ways() -> std::vector<way> const&;

/// What the command line asks for.
struct settings {
    bool dry = false;
    double seconds = 540;
    std::vector<std::string> networks{};    ///< none: all
    std::vector<std::string> precisions{};  ///< none: all
    std::string out = "gpu_tables.json";
    std::optional<std::string> trace{};
    std::optional<std::string> page{};  ///< of measurements that were made

    [[nodiscard]] auto most_runs() const -> std::size_t { return dry ? 1 : 10; }
    [[nodiscard]] auto copied_bytes() const -> repebble::bytes { return dry ? 1LL << 14U : 1LL << 28U; }
};

/// Seconds that are left.
class stopwatch {
  public:
    explicit stopwatch(double seconds) : seconds_(seconds) {}

    [[nodiscard]] auto spent() const -> double {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    [[nodiscard]] auto left() const -> double { return std::max(0.0, seconds_ - spent()); }

  private:
    double seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace gpu_tables

#endif
