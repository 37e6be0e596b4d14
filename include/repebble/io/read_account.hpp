#ifndef REPEBBLE_IO_READ_ACCOUNT_HPP
#define REPEBBLE_IO_READ_ACCOUNT_HPP

// The account of what it costs to read one file: memory, work, time. A short file can mean much: gzip data unpack,
// loops are gone through again and again, names and shapes are copied. Every reader spends from one account whatever it
// allocates or does, and asks it whether to stop.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <repebble/graph/limits.hpp>

namespace repebble::inline v0::io {

/// What reading one file may cost. Copies are the same account.
class read_account {
  public:
    // Limits, unless the caller sets others.
    static constexpr std::size_t usual_memory = std::size_t{1} << 28;  ///< bytes that any file may take
    static constexpr std::size_t memory_of_byte = 256;                 ///< and those for each byte that it has
    static constexpr std::size_t usual_work = std::size_t{1} << 27;    ///< steps that any file may take
    static constexpr std::size_t work_of_byte = 1024;                  ///< and those for each byte that it has

    /// A step of the work is a letter, a number or a name that is looked at, or some bytes that are copied: about ten
    /// nanoseconds. The seconds begin here. memory: bytes at most, as the readers count what they allocate (about what
    /// the process takes).  Throws bad_option.
    explicit read_account(limits how = {}, std::optional<std::size_t> memory = {});

    /// Says what is read, and how many bytes that has: only the first time, before anything is spent.
    void open(std::string const& source, std::size_t bytes) const;
    /// What is read turns out to have so many more bytes.
    void grow(std::size_t bytes) const;

    /// Takes steps of work and bytes of memory from the account.  Throws limit_reached, naming the source, and the
    /// place that place() returns, where there are not so many left, or where the time is over or `stop` is true.
    template <class Place>
    void spend(std::size_t work, std::size_t memory, Place const& place) const {
        auto& s = *state_;
        if (work >= s.until_look || memory > s.memory_left) look(work, memory, place());
        s.until_look -= work;
        s.memory_left -= memory;
    }
    /// Bytes that may still be spent.
    [[nodiscard]] auto memory_left() const noexcept -> std::size_t { return state_->memory_left; }
    /// Memory that was spent is free again: so much is left as was then.
    void free_until(std::size_t left) const noexcept { state_->memory_left = left; }

    /// Of the file, or what the caller calls the text.
    [[nodiscard]] auto source() const noexcept -> std::string const& { return state_->source; }

  private:
    struct state {
        limits how;
        std::optional<std::size_t> memory;
        double end = 0;  // of the time, on the wall clock
        std::string source;
        bool open = false;
        std::size_t memory_left, memory_limit;
        std::size_t work_left, work_limit;  // without until_look
        std::size_t until_look = 0;         // work up to the next look at the clock
    };
    /// Looks at all limits, and lets `until_look` be more than the work.
    void look(std::size_t work, std::size_t memory, std::string const& place) const;

    std::shared_ptr<state> state_;
};

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/read_account.ipp>
#endif

#endif
