#ifndef REPEBBLE_TESTS_TRAINING_CUDA_STAND_IN_HPP
#define REPEBBLE_TESTS_TRAINING_CUDA_STAND_IN_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <cuda_runtime_api.h>

/// A GPU on the processor, for tests: streams, memory and threads of kernels, all of it in one thread. Operations wait
/// until somebody synchronizes, and run in an order that a seed chooses among those that streams and events allow.
/// Whatever an operation reads or writes is looked at. The first fault is kept; from then on all calls fail with it, as
/// they do on a GPU.
namespace cuda_stand_in {

// ---- for tests -------------------------------------------------------------------------------------------------

/// Forgets the fault, and whatever has not run.
void begin(std::uint64_t seed = 0);
/// `seed`: of the order of operations; 0: a stream runs nothing that nobody waits for, and all at the last moment.
void set_order(std::uint64_t seed);
/// The first fault since then; empty where there was none.
[[nodiscard]] auto fault() -> std::string const&;

// ---- for the libraries that stand in for NVIDIA's ----------------------------------------------------------------

/// Runs later, in the order of the stream. What it reads and writes it says first.
auto enqueue(cudaStream_t, char const* name, std::function<void()> run) -> cudaError_t;
/// Said by what runs. Where it must not, the operation ends there, and there is a fault; so where it writes over what
/// it reads, but for a result to which it adds.
void reads(void const* at, std::size_t size);
void reads_own(void const* result, std::size_t size);
void writes(void* result, std::size_t size);
/// Ends the operation that runs, with a fault: "NAME: WHY".
[[noreturn]] void fail(std::string const& why);

// ---- between its own parts -------------------------------------------------------------------------------------

/// Thrown where an operation that is no kernel has to end.
struct operation_ended {};

/// Who reads or writes: a thread of a block of an operation, between two barriers of its block.
struct actor {
    std::uint32_t operation = 0;  ///< its number; 0: the host
    std::uint32_t block = 0;
    std::uint16_t thread = 0, epoch = 0;
};
extern actor running;
/// Of what runs.
[[nodiscard]] auto name_of_running() -> std::string;

/// The first is kept.
void report(std::string const& what);
/// What a call returns: success, or that there was a fault.
[[nodiscard]] auto status() -> cudaError_t;
/// Kept for cudaGetLastError, and returned.
auto failed(cudaError_t) -> cudaError_t;

/// together: atomic, or volatile. copy: of bytes that need not be written.
enum class access : std::uint8_t { read, write, together, copy };
/// Whether `running` may, and that it does. Reports where it may not.
[[nodiscard]] auto look_at(void const* at, std::size_t size, access) -> bool;
/// Said by a copy. Bytes that were never written stay so.
void copies(void* to, void const* from, std::size_t size);
[[nodiscard]] auto is_of_host(void const* at) -> bool;

/// Whether operation a has to be over before b begins, whatever the streams do.
[[nodiscard]] auto is_ordered(std::uint32_t a, std::uint32_t b) -> bool;
/// Runs everything that waits.
void run_all();
/// Whether a stream is being captured, whose capture such a call ends.
[[nodiscard]] auto interrupts_capture() -> bool;

/// The stack of the thread of a kernel that runs; nothing where none does.
struct span_of_stack {
    std::uintptr_t begin = 0, end = 0;
};
extern span_of_stack kernel_stack;
/// Ends the kernel that runs.
[[noreturn]] void abandon_kernel();

}  // namespace cuda_stand_in

#endif
