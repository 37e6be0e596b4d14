#ifndef MEASURE_IN_CHILD_HPP
#define MEASURE_IN_CHILD_HPP

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace measure {

/// What a child process said, and the memory that it had at most.
struct child_report {
    std::vector<std::int64_t> said;
    double megabytes = 0;
};

namespace detail {

inline void write_all(int pipe, std::vector<std::int64_t> const& numbers) {
    auto const* data = reinterpret_cast<char const*>(numbers.data());
    for (auto left = numbers.size() * sizeof numbers.front(); left > 0;) {
        auto const written = ::write(pipe, data, left);
        if (written <= 0) ::_exit(1);
        data += written;
        left -= static_cast<std::size_t>(written);
    }
}

[[nodiscard]] inline auto read_all(int pipe) -> std::vector<std::int64_t> {
    std::vector<std::int64_t> numbers;
    std::int64_t next = 0;
    auto* const data = reinterpret_cast<char*>(&next);
    for (std::size_t have = 0;;) {
        auto const got = ::read(pipe, data + have, sizeof next - have);
        if (got <= 0) return numbers;
        have += static_cast<std::size_t>(got);
        if (have < sizeof next) continue;
        numbers.push_back(next);
        have = 0;
    }
}

}  // namespace detail

/// f() in a process of its own, which ends after so many seconds of CPU time: nothing then. Throws where f does.
template <class F>
[[nodiscard]] auto in_child(unsigned seconds, F&& f) -> std::optional<child_report> {
    int ends[2];
    std::fflush(nullptr);
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    auto const child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        rlimit const limit{seconds, seconds + 1};
        ::setrlimit(RLIMIT_CPU, &limit);
        try {
            detail::write_all(ends[1], f());
        } catch (std::exception const& e) {
            std::fprintf(stderr, "%s\n", e.what());
            ::_exit(1);
        }
        ::_exit(0);
    }
    ::close(ends[1]);
    child_report report{detail::read_all(ends[0]), 0};
    ::close(ends[0]);
    int status = 0;
    rusage used{};
    if (::wait4(child, &status, 0, &used) != child) throw std::runtime_error("the child is lost");
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) return std::nullopt;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the child failed");
    report.megabytes = static_cast<double>(used.ru_maxrss) / 1024;
    return report;
}

}  // namespace measure

#endif
