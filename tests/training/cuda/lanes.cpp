#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <random>
#include <utility>

#include <cxxabi.h>

#include "stand_in.hpp"
#include "streams.hpp"

// Operations wait on lanes. Whoever waits for one has them run in an order that a seed chooses; what must be over
// before what is known by vector clocks (Mattern 1989), whatever that order.

namespace cuda_stand_in {

actor running;

namespace {

struct operation {
    work what{};
    std::vector<operation_number> after{};
    std::size_t lane = 0;
    std::uint32_t time = 0;  // on its lane
    vector_clock before{};   // itself with it
    std::int64_t ran_at = 0;
    bool over = false;
};

struct machine {
    std::vector<operation> operations{1};                 // by number
    std::vector<std::deque<operation_number>> waiting{};  // by lane
    std::vector<vector_clock> clocks{};                   // by lane
    std::vector<std::size_t> idle_lanes{};
    vector_clock host{};  // what the host has waited for
    std::string fault{};
    cudaError_t last_error = cudaSuccess;
    std::uint64_t seed = 0;
    std::mt19937_64 random{};
};
auto all() -> machine& {
    static machine one;
    return one;
}

void join(vector_clock& to, vector_clock const& from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
}

auto is_ready(std::size_t lane) -> bool {
    auto const& queue = all().waiting[lane];
    return !queue.empty() && std::ranges::all_of(all().operations[queue.front()].after, is_over);
}

void drop_all() {
    for (auto& queue : all().waiting) {
        for (auto const number : queue) {
            all().operations[number].over = true;
            all().operations[number].what.run = nullptr;
        }
        queue.clear();
    }
}

void run_first_of(std::size_t lane) {
    auto const number = all().waiting[lane].front();
    all().waiting[lane].pop_front();
    auto& o = all().operations[number];
    running = {.operation = number};
    try {
        if (o.what.run) o.what.run();
    } catch (operation_ended const&) {
    }
    running = {};
    o.ran_at = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    o.over = true;
    o.what.run = nullptr;
    if (!all().fault.empty()) drop_all();
}

/// Runs one operation: of those that can, by the seed, or by seed 0 on a lane that somebody waits for, or that holds it
/// up.
void run_one(std::size_t wanted) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < all().waiting.size(); ++i)
        if (is_ready(i)) ready.push_back(i);
    if (ready.empty()) {
        report("streams wait for one another");
        drop_all();
        return;
    }
    if (all().seed != 0) return run_first_of(ready[all().random() % ready.size()]);
    auto lane = wanted;
    while (!is_ready(lane)) {
        auto const& after = all().operations[all().waiting[lane].front()].after;
        auto const held_by = std::ranges::find_if_not(after, is_over);
        lane = all().operations[*held_by].lane;
    }
    run_first_of(lane);
}

}  // namespace

lane::lane() {
    auto& m = all();
    if (m.idle_lanes.empty()) {
        m.idle_lanes.push_back(m.waiting.size());
        m.waiting.emplace_back();
        m.clocks.emplace_back();
    }
    index_ = m.idle_lanes.back();
    m.idle_lanes.pop_back();
}
lane::~lane() {
    synchronize();
    all().idle_lanes.push_back(index_);
}

auto lane::push(work what, std::vector<operation_number> const& after) -> operation_number {
    auto& m = all();
    auto& clock = m.clocks[index_];
    join(clock, m.host);
    for (auto const a : after) join(clock, m.operations[a].before);
    if (clock.size() <= index_) clock.resize(index_ + 1);
    ++clock[index_];
    last_ = static_cast<operation_number>(m.operations.size());
    m.operations.push_back({std::move(what), after, index_, clock[index_], clock});
    m.waiting[index_].push_back(last_);
    return last_;
}

void lane::synchronize() {
    auto& m = all();
    while (!m.waiting[index_].empty()) run_one(index_);
    join(m.host, m.clocks[index_]);
}

auto nanoseconds_of(operation_number number) -> std::int64_t { return all().operations[number].ran_at; }
auto is_over(operation_number number) -> bool { return all().operations[number].over; }

auto is_ordered(std::uint32_t a, std::uint32_t b) -> bool {
    auto const& first = all().operations[a];
    auto const& before = all().operations[b].before;
    return first.lane < before.size() && before[first.lane] >= first.time;
}

void run_all() {
    for (std::size_t i = 0; i < all().waiting.size(); ++i)
        while (!all().waiting[i].empty()) run_one(i);
    for (auto const& clock : all().clocks) join(all().host, clock);
}

void begin(std::uint64_t seed) {
    drop_all();
    all().fault.clear();
    all().last_error = cudaSuccess;
    set_order(seed);
}
void set_order(std::uint64_t seed) {
    all().seed = seed;
    all().random.seed(seed);
}
auto fault() -> std::string const& { return all().fault; }

void report(std::string const& what) {
    if (all().fault.empty()) all().fault = what;
}
void fail(std::string const& why) {
    report(name_of_running() + " " + why);
    throw operation_ended{};
}
auto name_of_running() -> std::string {
    auto const* const name = all().operations[running.operation].what.name;
    int unknown = 0;
    std::unique_ptr<char, decltype(&std::free)> const readable(abi::__cxa_demangle(name, nullptr, nullptr, &unknown),
                                                               &std::free);
    std::string text = readable == nullptr ? name : readable.get();
    if (kernel_stack.end == 0) return text;
    return text.append(", block ")
        .append(std::to_string(running.block))
        .append(", thread ")
        .append(std::to_string(running.thread));
}
auto status() -> cudaError_t { return failed(all().fault.empty() ? cudaSuccess : cudaErrorIllegalAddress); }
auto failed(cudaError_t error) -> cudaError_t {
    if (error != cudaSuccess) all().last_error = error;
    return error;
}

}  // namespace cuda_stand_in

auto cudaGetLastError() -> cudaError_t { return std::exchange(cuda_stand_in::all().last_error, cudaSuccess); }
auto cudaGetErrorString(cudaError_t error) -> char const* {
    switch (error) {
        case cudaErrorIllegalAddress:
            return cuda_stand_in::fault().c_str();
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorStreamCaptureUnsupported:
            return "a call that cannot be captured";
        case cudaErrorStreamCaptureInvalidated:
            return "the capture failed before";
        case cudaErrorStreamCaptureUnjoined:
            return "a stream of the capture was not joined";
        case cudaErrorStreamCaptureIsolation:
            return "a capture depends on what is not captured";
        case cudaErrorCapturedEvent:
            return "an event of a capture is waited for outside of it";
        default:
            return "a wrong call";
    }
}
auto cudaGetDeviceCount(int* count) -> cudaError_t {
    *count = 1;
    return cudaSuccess;
}
auto cudaSetDevice(int device) -> cudaError_t {
    return cuda_stand_in::failed(device == 0 ? cudaSuccess : cudaErrorInvalidValue);
}
auto cudaGetDeviceProperties(cudaDeviceProp* to, int device) -> cudaError_t {
    *to = {"stand-in"};
    return cuda_stand_in::failed(device == 0 ? cudaSuccess : cudaErrorInvalidValue);
}
/// One multiprocessor of compute capability 9.0 at a gigahertz, with memory at a gigahertz, too, 64 bits wide.
auto cudaDeviceGetAttribute(int* to, cudaDeviceAttr which, int device) -> cudaError_t {
    switch (which) {
        case cudaDevAttrClockRate:
        case cudaDevAttrMemoryClockRate:
            *to = 1'000'000;
            break;
        case cudaDevAttrMultiProcessorCount:
            *to = 1;
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *to = 64;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *to = 9;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *to = 0;
            break;
    }
    return cuda_stand_in::failed(device == 0 ? cudaSuccess : cudaErrorInvalidValue);
}
