#ifndef PLAN_PROGRESS_BAR_HPP
#define PLAN_PROGRESS_BAR_HPP

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include <unistd.h>

#include "command_line/interruption.hpp"

namespace plan {

/// A line on the standard error stream, where that is a terminal, once the work has taken half a second.
class progress_bar {
  public:
    explicit progress_bar(std::string what) : what_(std::move(what)) {}
    progress_bar(progress_bar const&) = delete;
    auto operator=(progress_bar const&) -> progress_bar& = delete;
    ~progress_bar() {
        if (shown_) std::fputs("\r\033[K", stderr);
    }

    void progress(double share) {
        auto const now = clock::now();
        if (!terminal_ || now < next_) return;
        next_ = now + std::chrono::milliseconds(100);
        shown_ = true;
        auto const filled = static_cast<int>(share * width);
        std::fprintf(stderr, "\r%s [%s%s] %3d%%", what_.c_str(),
                     std::string(static_cast<std::size_t>(filled), '#').c_str(),
                     std::string(static_cast<std::size_t>(width - filled), '.').c_str(), static_cast<int>(share * 100));
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr int width = 30;

    std::string what_;
    bool terminal_ = isatty(STDERR_FILENO) != 0;
    bool shown_ = false;
    clock::time_point next_ = clock::now() + std::chrono::milliseconds(500);
};

}  // namespace plan

#endif
