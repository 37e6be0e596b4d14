// The jumps go from stack to stack, which a checked longjmp takes for a fault.
#undef _FORTIFY_SOURCE
#include <array>
#include <csetjmp>
#include <cstring>
#include <memory>

#include <ucontext.h>

#include "cuda_runtime.h"
#include "stand_in.hpp"

// A grid of threads, block after block. Every thread of a block runs on a stack of its own until it comes to a barrier,
// of its block or of its warp, and goes on when all others have come there: none of them may have left before.

namespace cuda_stand_in {

place here;
span_of_stack kernel_stack;

namespace {

constexpr std::size_t stack_size = 64 << 10;
constexpr unsigned warp_size = 32;

enum class state : std::uint8_t { fresh, ready, at_block_barrier, at_warp_barrier, left };

/// A stack that threads of kernels run on, one after the other.
struct fiber {
    std::unique_ptr<std::byte[]> stack = std::make_unique<std::byte[]>(stack_size);
    ucontext_t first{};
    std::jmp_buf at{};
    bool begun = false;
};

struct thread {
    state is = state::fresh;
    fiber* on = nullptr;
    unsigned warp_barriers = 0;
    std::uint16_t epoch = 0;
};

/// What threads of a warp show each other: two turns, because the first may be at the next one already.
struct warp {
    std::array<std::array<std::uint64_t, warp_size>, 2> shown{};
};

class block_runner {
  public:
    /// Runs all blocks; false where the kernel was abandoned.
    auto run(dim3 blocks, dim3 threads, kernel_call const& body) -> bool {
        body_ = &body;
        here.blocks = blocks;
        here.threads = threads;
        bool whole = true;
        for (unsigned z = 0; z < blocks.z && whole; ++z)
            for (unsigned y = 0; y < blocks.y && whole; ++y)
                for (unsigned x = 0; x < blocks.x && whole; ++x) {
                    here.block = {x, y, z};
                    running.block = (z * blocks.y + y) * blocks.x + x;
                    whole = run_block();
                }
        kernel_stack = {};
        running.block = running.thread = running.epoch = 0;
        return whole;
    }

    /// Of the thread that runs: waits until all of the block, or of its warp, are there.
    void wait(state at) {
        auto& me = threads_[current_];
        me.is = at;
        leave(*me.on);
    }
    /// What the warp's threads show in this turn.
    auto show(std::uint64_t mine) -> std::array<std::uint64_t, warp_size> const& {
        auto& turn = warps_[current_ / warp_size].shown[threads_[current_].warp_barriers++ % 2];
        turn[current_ % warp_size] = mine;
        wait(state::at_warp_barrier);
        return turn;
    }
    [[nodiscard]] auto lane() const -> unsigned { return current_ % warp_size; }
    /// Over the whole block.
    auto any(bool mine) -> bool {
        auto const turn = threads_[current_].epoch % 2U;
        any_[turn] |= mine;
        wait(state::at_block_barrier);
        return any_[turn];
    }
    [[noreturn]] void abandon() {
        abandoned_ = true;
        _longjmp(scheduler_, 1);
    }

  private:
    auto run_block() -> bool {
        auto const count = here.threads.x * here.threads.y * here.threads.z;
        threads_.assign(count, {});
        warps_.assign((count + warp_size - 1) / warp_size, {});
        any_[0] = any_[1] = false;
        abandoned_ = false;
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (current_ = 0; current_ < count; ++current_) {
                if (threads_[current_].is != state::fresh && threads_[current_].is != state::ready) continue;
                goes_on = true;
                resume();
                if (abandoned_) return give_up();
            }
            open_barriers();
        }
        for (auto const& t : threads_) {
            if (t.is == state::left) continue;
            report(name_of_running() + ": threads wait at a barrier to which others never come");
            return give_up();
        }
        return true;
    }

    /// Lets go those whose barrier all have reached.
    void open_barriers() {
        auto const all_at = [&](std::size_t begin, std::size_t end, state at) {
            for (auto i = begin; i < end; ++i)
                if (threads_[i].is != at) return false;
            return true;
        };
        auto const count = threads_.size();
        if (all_at(0, count, state::at_block_barrier)) {
            any_[(threads_[0].epoch + 1U) % 2] = false;
            for (auto& t : threads_) {
                t.is = state::ready;
                ++t.epoch;
            }
        }
        for (std::size_t begin = 0; begin < count; begin += warp_size) {
            if (begin + warp_size > count || !all_at(begin, begin + warp_size, state::at_warp_barrier)) continue;
            for (auto i = begin; i < begin + warp_size; ++i) threads_[i].is = state::ready;
        }
    }

    void resume() {
        auto& t = threads_[current_];
        if (t.on == nullptr) t.on = &free_fiber();
        come_to(t);
        auto const begin = reinterpret_cast<std::uintptr_t>(t.on->stack.get());
        kernel_stack = {begin, begin + stack_size};
        enter(*t.on);
    }
    void come_to(thread& t) {
        here.thread = {current_ % here.threads.x, current_ / here.threads.x % here.threads.y,
                       current_ / here.threads.x / here.threads.y};
        running.thread = static_cast<std::uint16_t>(current_);
        running.epoch = t.epoch;
        t.is = state::ready;
    }
    /// The next thread on the stack of the one that has ended, where it has not begun elsewhere.
    auto goes_on_with_next() -> bool {
        auto* const on = threads_[current_].on;
        if (current_ + 1 == threads_.size() || threads_[current_ + 1].is != state::fresh) return false;
        ++current_;
        threads_[current_].on = on;
        come_to(threads_[current_]);
        return true;
    }
    // Not inlined: nothing else may be alive around a jump.
    __attribute__((noinline)) void enter(fiber& f) {
        if (_setjmp(scheduler_) != 0) return;
        if (f.begun) _longjmp(f.at, 1);
        f.begun = true;
        setcontext(&f.first);
    }
    __attribute__((noinline)) void leave(fiber& f) {
        if (_setjmp(f.at) == 0) _longjmp(scheduler_, 1);
    }
    static void fiber_main();

    auto free_fiber() -> fiber& {
        if (idle_.empty()) {
            idle_.push_back(fibers_.emplace_back(std::make_unique<fiber>()).get());
            prepare(*idle_.back());
        }
        auto* const f = idle_.back();
        idle_.pop_back();
        return *f;
    }
    __attribute__((noinline)) static void prepare(fiber& f) {
        getcontext(&f.first);
        f.first.uc_stack.ss_sp = f.stack.get();
        f.first.uc_stack.ss_size = stack_size;
        f.first.uc_link = nullptr;
        makecontext(&f.first, &block_runner::fiber_main, 0);
    }
    /// Stacks in the middle of a thread are of no use any more.
    auto give_up() -> bool {
        idle_.clear();
        fibers_.clear();
        return false;
    }

    kernel_call const* body_ = nullptr;
    std::vector<thread> threads_{};
    std::vector<warp> warps_{};
    std::array<bool, 2> any_{};
    std::vector<std::unique_ptr<fiber>> fibers_{};
    std::vector<fiber*> idle_{};
    std::jmp_buf scheduler_{};
    unsigned current_ = 0;
    bool abandoned_ = false;
};

auto runner() -> block_runner& {
    static block_runner one;
    return one;
}

void block_runner::fiber_main() {
    auto& r = runner();
    for (;;) {
        r.body_->run();
        auto& me = r.threads_[r.current_];
        me.is = state::left;
        if (r.goes_on_with_next()) continue;
        r.idle_.push_back(me.on);
        r.leave(*me.on);
    }
}

}  // namespace

void abandon_kernel() { runner().abandon(); }

auto enqueue_grid(cudaLaunchConfig_t const& how, char const* kernel, std::unique_ptr<kernel_call const> call)
    -> cudaError_t {
    auto const [blocks, threads] = std::pair{how.gridDim, how.blockDim};
    bool const fits = blocks.x > 0 && blocks.y > 0 && blocks.z > 0 && blocks.x < (1ULL << 31U) && blocks.y < 65536 &&
                      blocks.z < 65536 && threads.x > 0 && threads.y > 0 && threads.z > 0 &&
                      std::uint64_t{threads.x} * threads.y * threads.z <= 1024;
    if (!fits || how.dynamicSmemBytes != 0) return failed(cudaErrorInvalidConfiguration);
    return enqueue(how.stream, kernel, [blocks, threads, call = std::shared_ptr(std::move(call))] {
        if (!runner().run(blocks, threads, *call)) throw operation_ended{};
    });
}

}  // namespace cuda_stand_in

namespace {

constexpr unsigned whole_warp = ~0U;

auto shown_by_warp(unsigned mask, std::uint64_t mine) -> std::array<std::uint64_t, 32> const& {
    if (mask != whole_warp) {
        cuda_stand_in::report(cuda_stand_in::name_of_running() + " asks a part of a warp");
        cuda_stand_in::abandon_kernel();
    }
    return cuda_stand_in::runner().show(mine);
}

template <class T>
auto shuffled(unsigned mask, T mine, int lanes) -> T {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &mine, sizeof(T));
    auto const& all = shown_by_warp(mask, bits);
    bits = all[cuda_stand_in::runner().lane() ^ static_cast<unsigned>(lanes)];
    std::memcpy(&mine, &bits, sizeof(T));
    return mine;
}

}  // namespace

void __syncthreads() { cuda_stand_in::runner().wait(cuda_stand_in::state::at_block_barrier); }
auto __syncthreads_or(int mine) -> int { return cuda_stand_in::runner().any(mine != 0) ? 1 : 0; }
auto __ballot_sync(unsigned mask, bool mine) -> unsigned {
    unsigned votes = 0;
    auto const& all = shown_by_warp(mask, mine ? 1 : 0);
    for (unsigned i = 0; i < 32; ++i) votes |= static_cast<unsigned>(all[i]) << i;
    return votes;
}
auto __shfl_xor_sync(unsigned mask, float mine, int lanes) -> float { return shuffled(mask, mine, lanes); }
auto __shfl_xor_sync(unsigned mask, double mine, int lanes) -> double { return shuffled(mask, mine, lanes); }
