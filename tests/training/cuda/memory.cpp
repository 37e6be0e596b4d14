#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>

#include "cuda_runtime.h"
#include "stand_in.hpp"

// Memory, and for every byte of it who wrote and read it last: so that an access outside of all memory, one of bytes
// that nobody wrote, and one that no barrier, stream or event orders behind another is a fault. As in FastTrack
// (Flanagan, Freund 2009), the last accesses are enough but for reads beside one another, of which two operations are
// kept.

extern char __data_start, _end;  // NOLINT: the linker's names of what is static

namespace cuda_stand_in {

namespace {

constexpr std::size_t guard = 256;  // bytes on both sides, also the alignment
constexpr std::size_t memory_of_device = std::size_t{1} << 30U;
constexpr std::uint32_t several = ~0U;
constexpr std::uint16_t several_threads = 0xFFFF;

struct last_access {
    std::uint32_t operation = 0;
    std::uint32_t block = 0;  // or several
    std::uint16_t thread = 0, epoch = 0;
    friend auto operator==(last_access const&, last_access const&) -> bool = default;
};
struct cell {
    last_access write{}, read{};
    std::uint32_t other_read = 0;  // an operation that read beside the last one
    friend auto operator==(cell const&, cell const&) -> bool = default;
};

struct allocation {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    bool of_host = false, of_block = false;
    std::unique_ptr<void, decltype(&std::free)> memory{nullptr, &std::free};
    std::vector<cell> cells{};

    [[nodiscard]] auto at(void const* place) -> cell* {
        return cells.data() + (reinterpret_cast<std::uintptr_t>(place) - begin);
    }
};

struct allocations {
    std::map<std::uintptr_t, allocation> all{};
    std::size_t used = 0;  // of the device
    allocation* recent = nullptr;
    allocation shared{};  // whatever is static: variables of a block

    allocations() {
        shared.begin = reinterpret_cast<std::uintptr_t>(&__data_start);
        shared.size = reinterpret_cast<std::uintptr_t>(&_end) - shared.begin;
        shared.of_block = true;
    }
    [[nodiscard]] auto find(std::uintptr_t at) -> allocation* {
        auto const lies_in = [at](allocation const& a) { return at >= a.begin && at < a.begin + a.size; };
        if (recent != nullptr && lies_in(*recent)) return recent;
        if (lies_in(shared)) {
            if (shared.cells.empty()) shared.cells.resize(shared.size);
            return &shared;
        }
        auto const above = all.upper_bound(at);
        if (above == all.begin()) return nullptr;
        auto& found = std::prev(above)->second;
        if (!lies_in(found)) return nullptr;
        return recent = &found;
    }
    /// One that was asked for: other memory of the host is not looked at.
    [[nodiscard]] auto find_block(void const* at) -> allocation* {
        auto* const found = find(reinterpret_cast<std::uintptr_t>(at));
        return found == &shared ? nullptr : found;
    }
    /// The one that ends nearest below an address, or begins nearest above it, for messages.
    [[nodiscard]] auto place_of(std::uintptr_t at) -> std::string {
        auto const above = all.upper_bound(at);
        if (above != all.begin()) {
            auto const& a = std::prev(above)->second;
            if (at < a.begin + a.size + guard)
                return "at byte " + std::to_string(at - a.begin) + " of a block of " + std::to_string(a.size);
        }
        if (above != all.end() && at + guard >= above->first)
            return std::to_string(above->first - at) + " bytes before a block of " + std::to_string(above->second.size);
        return "outside of all blocks";
    }
};
auto memory() -> allocations& {
    static allocations made;
    return made;
}

/// Ordered within a block by barriers, else by streams and events.
auto is_behind(last_access const& before) -> bool {
    if (before.operation == 0) return true;
    if (before.operation != running.operation) return is_ordered(before.operation, running.operation);
    if (before.block != running.block) return false;
    return before.thread == running.thread || before.epoch < running.epoch;
}

/// What is wrong with an access to one byte, nullptr where nothing is.
auto complaint(cell const& c, access how, bool of_block) -> char const* {
    bool const together = how == access::together;
    if (of_block && (c.write.operation != running.operation || c.write.block != running.block)) {
        return how == access::write ? nullptr : "reads what its block has not written";
    }
    if (how != access::write && how != access::copy && c.write.operation == 0) return "reads what nobody wrote";
    if (!is_behind(c.write) && !(together && c.write.operation == running.operation))
        return how == access::write ? "writes what another writes" : "reads what another writes";
    if (how != access::write) return nullptr;
    if (!is_behind(c.read) || (c.other_read != 0 && !is_ordered(c.other_read, running.operation)))
        return "writes what another reads";
    return nullptr;
}

void remember(cell& c, access how) {
    last_access const now{running.operation, running.block, running.thread, running.epoch};
    if (how == access::write) {
        c = {now, {}, 0};
        return;
    }
    auto& last = c.read;
    if (last.operation != now.operation) {
        if (last.operation != 0 && !is_ordered(last.operation, now.operation))
            c.other_read = last.operation;
        else if (c.other_read != 0 && is_ordered(c.other_read, now.operation))
            c.other_read = 0;
        last = now;
    } else if (last.block != now.block) {
        last.block = several;
    } else if (last.epoch != now.epoch) {
        last = now;
    } else if (last.thread != now.thread) {
        last.thread = several_threads;
    }
}

auto allocate(void** to, std::size_t size, bool of_host) -> cudaError_t {
    if (interrupts_capture()) return failed(cudaErrorStreamCaptureUnsupported);
    if (!of_host && size > memory_of_device - memory().used) return failed(cudaErrorMemoryAllocation);
    auto const all = (size + guard - 1) / guard * guard + 2 * guard;
    allocation made{.size = size, .of_host = of_host};
    made.memory.reset(std::aligned_alloc(guard, all));
    if (made.memory == nullptr || size == 0) return failed(cudaErrorMemoryAllocation);
    std::memset(made.memory.get(), 0xFF, all);  // floats that are no numbers
    made.begin = reinterpret_cast<std::uintptr_t>(made.memory.get()) + guard;
    made.cells.resize(size);
    *to = reinterpret_cast<void*>(made.begin);
    if (!of_host) memory().used += size;
    memory().all.emplace(made.begin, std::move(made));
    return status();
}

auto release(void* at, bool of_host) -> cudaError_t {
    if (at == nullptr) return cudaSuccess;
    run_all();
    auto& all = memory().all;
    auto const found = all.find(reinterpret_cast<std::uintptr_t>(at));
    if (found == all.end() || found->second.of_host != of_host) return failed(cudaErrorInvalidValue);
    if (memory().recent == &found->second) memory().recent = nullptr;
    if (!of_host) memory().used -= found->second.size;
    all.erase(found);
    return status();
}

}  // namespace

auto look_at(void const* at, std::size_t size, access how) -> bool {
    auto const begin = reinterpret_cast<std::uintptr_t>(at);
    auto const verb = how == access::write ? " writes " : " reads ";
    auto* const in = memory().find(begin);
    if (in == nullptr || begin + size > in->begin + in->size) {
        report(name_of_running() + verb + std::to_string(size) + " bytes " + memory().place_of(begin));
        return false;
    }
    auto* const cells = in->at(at);
    cell before, after;
    for (std::size_t i = 0; i < size; ++i) {
        if (i == 0 || cells[i] != before) {  // else as its neighbour
            before = after = cells[i];
            if (auto const* const why = complaint(before, how, in->of_block)) {
                report(name_of_running() + " " + why + (in->of_block ? "" : " " + memory().place_of(begin + i)));
                return false;
            }
            remember(after, how);
        }
        cells[i] = after;
    }
    return true;
}

auto is_of_host(void const* at) -> bool {
    auto* const in = memory().find_block(at);
    return in == nullptr || in->of_host;
}

namespace {
// As if an operation were two threads: one that reads, and one that writes its results.
void look_as(std::uint16_t thread, void const* at, std::size_t size, access how) {
    running.thread = thread;
    if (size > 0 && !look_at(at, size, how)) throw operation_ended{};
}
}  // namespace

void reads(void const* at, std::size_t size) { look_as(0, at, size, access::read); }
void reads_own(void const* result, std::size_t size) { look_as(1, result, size, access::read); }
void writes(void* result, std::size_t size) { look_as(1, result, size, access::write); }

void copies(void* to, void const* from, std::size_t size) {
    auto* const source = memory().find_block(from);
    auto* const target = memory().find_block(to);
    if (source != nullptr) look_as(0, from, size, access::copy);
    if (target == nullptr) return;
    writes(to, size);
    for (std::size_t i = 0; i < size && source != nullptr; ++i)
        if (source->at(from)[i].write.operation == 0) target->at(to)[i].write = {};
}

}  // namespace cuda_stand_in

auto cudaMalloc(void** to, std::size_t size) -> cudaError_t { return cuda_stand_in::allocate(to, size, false); }
auto cudaMallocHost(void** to, std::size_t size) -> cudaError_t { return cuda_stand_in::allocate(to, size, true); }
auto cudaFree(void* at) -> cudaError_t { return cuda_stand_in::release(at, false); }
auto cudaFreeHost(void* at) -> cudaError_t { return cuda_stand_in::release(at, true); }

auto cudaMemGetInfo(std::size_t* free, std::size_t* total) -> cudaError_t {
    *total = cuda_stand_in::memory_of_device;
    *free = *total - cuda_stand_in::memory().used;
    return cuda_stand_in::status();
}

auto cudaMemcpyAsync(void* to, void const* from, std::size_t size, cudaMemcpyKind kind, cudaStream_t stream)
    -> cudaError_t {
    using namespace cuda_stand_in;
    bool const to_host = kind == cudaMemcpyDeviceToHost;
    if (is_of_host(to) != to_host || is_of_host(from) == to_host) return failed(cudaErrorInvalidValue);
    return enqueue(stream, to_host ? "copy to the host" : "copy to the device", [=] {
        copies(to, from, size);
        std::memcpy(to, from, size);
    });
}

auto cudaMemsetAsync(void* at, int value, std::size_t size, cudaStream_t stream) -> cudaError_t {
    return cuda_stand_in::enqueue(stream, "cudaMemset", [=] {
        cuda_stand_in::writes(at, size);
        std::memset(at, value, size);
    });
}
