#ifndef REPEBBLE_TESTS_SUPPORT_WIRE_WRITER_HPP
#define REPEBBLE_TESTS_SUPPORT_WIRE_WRITER_HPP

#include <cstdint>
#include <string>
#include <string_view>

/// Writes messages of Protocol Buffers: a message is its fields, one behind the other.
namespace wire {

[[nodiscard]] inline auto varint(std::uint64_t number) -> std::string {
    std::string text;
    for (; number >= 0x80; number >>= 7) text += static_cast<char>(number | 0x80);
    return text + static_cast<char>(number);
}
/// A field with a whole number.
[[nodiscard]] inline auto number(std::uint32_t field, std::int64_t value) -> std::string {
    return varint(field << 3) + varint(static_cast<std::uint64_t>(value));
}
/// A field with a text, or with a message.
[[nodiscard]] inline auto block(std::uint32_t field, std::string_view content) -> std::string {
    return varint(field << 3 | 2) + varint(content.size()) + std::string(content);
}
/// A number of so many bytes, the lowest first.
[[nodiscard]] inline auto little_endian(std::uint64_t value, int width) -> std::string {
    std::string text;
    for (int k = 0; k < width; ++k) text += static_cast<char>(value >> (8 * k));
    return text;
}
/// A field with four or eight bytes.
[[nodiscard]] inline auto fixed(std::uint32_t field, std::uint64_t value, int width) -> std::string {
    return varint(field << 3 | (width == 8 ? 1 : 5)) + little_endian(value, width);
}

}  // namespace wire

#endif
