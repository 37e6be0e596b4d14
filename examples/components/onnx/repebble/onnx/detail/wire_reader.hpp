#ifndef REPEBBLE_ONNX_DETAIL_WIRE_READER_HPP
#define REPEBBLE_ONNX_DETAIL_WIRE_READER_HPP

// The wire format of Protocol Buffers, read from a stream: a message is a list of fields, each a key (number, kind) and
// a number or so many bytes. What nobody asks for is skipped in the stream, so that a file of gigabytes of weights
// takes no memory. parse_onnx.hpp reads ONNX's messages by it.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <optional>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/raise.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/read_account.hpp>

namespace repebble::inline v0::io::detail {

/// Reads nested messages, field by field. Every field must be taken by one of the functions below `kind`, or skipped.
/// All throw bad_file, naming the source and the byte, where the data are not in the wire format.
class wire_reader {
  public:
    /// How a field is stored.
    enum class wire : std::uint8_t { varint = 0, bits64 = 1, block = 2, bits32 = 5 };

    /// Reads `size` bytes of `in`, which are the account's.
    wire_reader(std::streambuf& in, std::uint64_t size, read_account const& account)
        : in_(in), end_(size), account_(account) {}

    /// Goes to the next field of the message; false at its end.
    [[nodiscard]] auto next() -> bool {
        if (at_ == end_) return false;
        spend(1, 0);
        auto const key = varint();
        field_ = static_cast<std::uint32_t>(key >> 3);
        kind_ = static_cast<wire>(key & 7);
        bool const known =
            kind_ == wire::varint || kind_ == wire::bits64 || kind_ == wire::block || kind_ == wire::bits32;
        if (field_ == 0 || key >> 32 != 0 || !known) fail("no field of a message begins");
        return true;
    }
    /// The number of the field.
    [[nodiscard]] auto field() const noexcept -> std::uint32_t { return field_; }

    /// A whole number; signed ones are stored in two's complement.
    [[nodiscard]] auto integer() -> std::int64_t {
        expect(wire::varint);
        return static_cast<std::int64_t>(varint());
    }
    /// Adds whole numbers to a list: the field has one of them, or many behind one another.
    void integers(std::vector<std::int64_t>& list) {
        if (kind_ == wire::varint) return spend(1, 16), list.push_back(integer());
        message([&] {
            spend(end_ - at_, 16 * (end_ - at_));
            while (at_ < end_) list.push_back(static_cast<std::int64_t>(varint()));
        });
    }
    /// A floating-point number of four or eight bytes.
    [[nodiscard]] auto real() -> double {
        if (kind_ == wire::bits64) return std::bit_cast<double>(fixed(8));
        expect(wire::bits32);
        return std::bit_cast<float>(static_cast<std::uint32_t>(fixed(4)));
    }
    /// Adds floating-point numbers to a list, of `width` bytes each where there are many behind one another.
    void reals(std::vector<double>& list, std::size_t width) {
        if (kind_ != wire::block) return spend(1, 16), list.push_back(real());
        message([&] {
            spend(end_ - at_, 4 * (end_ - at_));
            kind_ = width == 8 ? wire::bits64 : wire::bits32;
            while (at_ < end_) list.push_back(real());
        });
    }
    /// A text, or bytes.
    [[nodiscard]] auto text() -> std::string {
        auto left = block();
        spend(left, 2 * left);
        std::string all;
        for (std::string part; left > 0; left -= part.size()) {  // a wrong length must not take memory
            part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, 1U << 16)));
            auto const count = static_cast<std::streamsize>(part.size());
            if (in_.sgetn(part.data(), count) != count) fail("the data end here");
            at_ += part.size();
            all += part;
        }
        return all;
    }
    /// Bytes of the text, of which nothing is read yet; 0 for any other kind of field.
    [[nodiscard]] auto size() -> std::uint64_t {
        if (kind_ != wire::block) return 0;
        if (!length_) length_ = read_length();
        return *length_;
    }
    /// Calls read(), which must take all fields, within the message of this field.
    template <class Read>
    void message(Read const& read) {
        auto const inner = block();
        if (++depth_ > most_nested) fail("messages are nested too deep");
        auto const end = std::exchange(end_, at_ + inner);
        read();
        end_ = end;
        --depth_;
    }
    /// Passes over the field.
    void skip() {
        if (kind_ == wire::varint) return static_cast<void>(varint());
        if (kind_ != wire::block) return static_cast<void>(fixed(kind_ == wire::bits64 ? 8 : 4));
        auto const count = block();
        if (count > 0 && in_.pubseekoff(static_cast<std::streamoff>(count), std::ios_base::cur, std::ios_base::in) ==
                             std::streampos(std::streamoff(-1)))
            fail("the data end here");
        at_ += count;
    }
    /// Takes work and memory from the account.  Throws limit_reached, naming the byte.
    void spend(std::uint64_t work, std::uint64_t memory) const {
        account_.spend(work, memory, [&] { return "byte " + std::to_string(at_); });
    }
    /// Throws bad_file, naming the byte.
    [[noreturn]] void fail(std::string const& why) const {
        repebble::detail::raise(
            bad_file(account_.source(), "is not an ONNX model: " + why + " at byte " + std::to_string(at_)));
    }

  private:
    static constexpr int most_nested = 200;

    void expect(wire kind) const {
        if (kind_ != kind) fail("field " + std::to_string(field_) + " is of another kind");
    }
    [[nodiscard]] auto byte() -> std::uint64_t {
        if (at_ == end_) fail("a number ends too late");
        auto const c = in_.sbumpc();
        if (c == std::char_traits<char>::eof()) fail("the data end here");
        ++at_;
        return static_cast<unsigned char>(std::char_traits<char>::to_char_type(c));
    }
    [[nodiscard]] auto varint() -> std::uint64_t {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            auto const b = byte();
            number |= (b & 0x7f) << shift;
            if (b < 0x80) return number;
        }
        fail("a number is longer than ten bytes");
    }
    /// Little-endian, as the wire has it whatever the machine.
    [[nodiscard]] auto fixed(unsigned width) -> std::uint64_t {
        std::uint64_t number = 0;
        for (unsigned k = 0; k < width; ++k) number |= byte() << (8 * k);
        return number;
    }
    [[nodiscard]] auto read_length() -> std::uint64_t {
        auto const count = varint();
        if (count > end_ - at_) fail(std::to_string(count) + " bytes should follow, more than there are,");
        return count;
    }
    /// Enters the bytes of the field.
    [[nodiscard]] auto block() -> std::uint64_t {
        expect(wire::block);
        auto const count = size();
        length_.reset();
        return count;
    }

    std::streambuf& in_;
    std::uint64_t at_ = 0;  // bytes taken
    std::uint64_t end_;     // of the message
    read_account const& account_;
    std::uint32_t field_ = 0;
    wire kind_ = wire::varint;
    std::optional<std::uint64_t> length_{};  // of a block, where it has been read
    int depth_ = 0;
};

}  // namespace repebble::inline v0::io::detail

#endif
