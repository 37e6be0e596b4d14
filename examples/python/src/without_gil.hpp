#ifndef REPEBBLE_PYTHON_WITHOUT_GIL_HPP
#define REPEBBLE_PYTHON_WITHOUT_GIL_HPP

// The GIL, given back for a while, and the end of the interpreter.

#include <atomic>
#include <chrono>
#include <thread>

#include <nanobind/nanobind.h>

namespace repebble_python {

namespace nb = nanobind;

/// The end of the interpreter, as threads see it that plan meanwhile: daemon threads, which nobody waits for. Up to
/// 3.13 CPython ends such a thread where it asks for the GIL; unwound through destructors, it would abort the program.
/// Here it waits for the end of the process instead, as CPython's own code does from 3.14 on.
class interpreter_end {
  public:
    /// Whether it is near, and this thread is not the one that brings it about.
    [[nodiscard]] static auto is_near() -> bool { return near_ && std::this_thread::get_id() != by_; }
    /// Whether the GIL need not be given back any more, as functions called by `atexit` are the last.
    [[nodiscard]] static auto is_here() -> bool { return near_ && std::this_thread::get_id() == by_; }
    [[noreturn]] static void await() {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
    /// While it lives a thread is on its way to Python or in a function of the caller, and the end waits for it.
    class delay {
      public:
        delay() { ++delays_; }
        delay(delay const&) = delete;
        auto operator=(delay const&) -> delay& = delete;
        ~delay() { --delays_; }
    };
    /// For `atexit`: announces it, and waits for threads that are in the caller's functions, but not for ever.
    static void announce() {
        by_ = std::this_thread::get_id();
        near_ = true;
        nb::gil_scoped_release const released;
        for (int k = 0; delays_ > 0 && k < 500; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }

  private:
    static inline std::atomic<bool> near_{false};
    static inline std::thread::id by_{};
    static inline std::atomic<int> delays_{0};
};

/// Without the GIL while it lives.
class without_gil {
  public:
    without_gil() : state_(interpreter_end::is_here() ? nullptr : PyEval_SaveThread()) {
        if (interpreter_end::is_near()) interpreter_end::await();
    }
    without_gil(without_gil const&) = delete;
    auto operator=(without_gil const&) -> without_gil& = delete;
    ~without_gil() {
        if (state_ == nullptr) return;
        {
            interpreter_end::delay const delay;
            if (!interpreter_end::is_near()) {
                PyEval_RestoreThread(state_);
                return;
            }
        }
        interpreter_end::await();
    }

  private:
    PyThreadState* state_;
};

}  // namespace repebble_python

#endif
