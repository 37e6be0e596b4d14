// Covers execute/fill_pattern.hpp, execute/guarded_memory.hpp.
#include <csignal>  // POSIX: ::signal

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include <repebble/execute/fill_pattern.hpp>
#include <repebble/execute/guarded_memory.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// Whether a process that writes one byte there is killed.
auto kills_writer(std::byte* at) -> bool {
    auto const child = ::fork();
    if (child == 0) {
        ::signal(SIGSEGV, SIG_DFL);
        ::signal(SIGBUS, SIG_DFL);
        *static_cast<std::byte volatile*>(at) = std::byte{1};
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

}  // namespace

TEST_CASE("guarded memory is aligned, and guarded on both sides", "[execute]") {
    for (bytes const size : {0, 1, 64, 4096, 10'000}) {
        guarded_memory const memory(size, 64);
        CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0);
        auto const capacity = (size + 63) / 64 * 64;
        if (size > 0) CHECK(!kills_writer(memory.data()));
        if (size > 0) CHECK(!kills_writer(memory.data() + size - 1));
        CHECK(kills_writer(memory.data() + capacity));
        CHECK(kills_writer(memory.data() - 4096));
    }
}

TEST_CASE("guarded memory can be moved, and rejects impossible sizes", "[execute]") {
    guarded_memory a(100, 1);
    auto* const data = a.data();
    auto b = std::move(a);
    CHECK(b.data() == data);
    CHECK(b.size() == 100);
    b = guarded_memory(5, 1);
    CHECK(b.size() == 5);
    CHECK_THROWS_AS(guarded_memory(std::numeric_limits<bytes>::max(), 1), std::bad_alloc);
    CHECK(support::throws<std::bad_alloc>([] { return guarded_memory(bytes{1} << 60U, 1).size(); },
                                          {"no memory for 1152921504606846976 bytes"}));
    for (bytes const alignment : {0, 24, 1 << 20})
        CHECK(support::throws<std::invalid_argument>([&] { return guarded_memory(5, alignment).size(); }, {"aligned"}));
}

TEST_CASE("the highest change is behind the last byte that is not of the pattern", "[execute]") {
    fill_pattern const pattern{5};
    for (bytes const size : {1, 7, 8, 9, 100}) {
        std::vector<std::byte> memory(static_cast<std::size_t>(size) + 1, std::byte{0xAB});
        pattern.fill(memory.data(), size);
        CHECK(memory.back() == std::byte{0xAB});
        CHECK(pattern.highest_change(memory.data(), size) == 0);
        for (bytes at = 0; at < size; ++at) {
            memory[static_cast<std::size_t>(at)] ^= std::byte{4};
            CHECK(pattern.highest_change(memory.data(), size) == at + 1);
        }
    }
    std::vector<std::byte> memory(16);
    pattern.fill(memory.data(), 16);
    CHECK(fill_pattern{6}.highest_change(memory.data(), 16) > 0);
}
