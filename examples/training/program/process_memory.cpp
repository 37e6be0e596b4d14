#include "process_memory.hpp"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace train {

using namespace repebble;

namespace {

/// A line of the system's status of this process, in bytes; 0 where there is none.
auto status_bytes(std::string_view name) -> bytes {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (!line.starts_with(name)) continue;
        auto const from = line.find_first_of("0123456789");
        bytes kibibytes = 0;
        if (from != std::string::npos) std::from_chars(line.data() + from, line.data() + line.size(), kibibytes);
        return kibibytes * 1024;
    }
    return 0;
}

}  // namespace

auto process_peak() -> bytes { return status_bytes("VmHWM:"); }

auto restart_process_peak() -> std::optional<bytes> {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
    std::ofstream clear("/proc/self/clear_refs");
    if (!(clear << 5 << std::flush)) return std::nullopt;
    return status_bytes("VmRSS:");
}

}  // namespace train
