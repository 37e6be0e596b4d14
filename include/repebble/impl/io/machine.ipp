#ifndef REPEBBLE_IMPL_IO_MACHINE_IPP
#define REPEBBLE_IMPL_IO_MACHINE_IPP

#include <repebble/io/machine.hpp>

#include <algorithm>
#include <array>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::io {

namespace detail {

// Links: PCI Express with 16 lanes, by what copies from pinned memory reach, four fifths of 15.75, 31.5 and 63 GB/s;
// NVLink-C2C: NVIDIA Grace Hopper whitepaper, 900 GB/s in both directions together. Rooflines: NVIDIA's data sheets, of
// the 1080 Ti 11.34 TFLOP/s and 484 GB/s at 80 %; of A100 and H100 (SXM) TF32 products without sparsity.
inline constexpr std::array machines{machine{"pcie3", 0, 0, 12'000'000'000},
                                     machine{"pcie4", 0, 0, 25'000'000'000},
                                     machine{"pcie5", 0, 0, 50'000'000'000},
                                     machine{"nvlink-c2c", 0, 0, 450'000'000'000},
                                     machine{"1080ti", 9.072e12, 387.2e9, 12'000'000'000},
                                     machine{"a100", 156e12, 2e12, 25'000'000'000},
                                     machine{"h100", 494e12, 3.35e12, 50'000'000'000},
                                     machine{"gh200", 494e12, 4e12, 450'000'000'000}};

}  // namespace detail

REPEBBLE_INLINE auto find_machine(std::string_view name) -> std::optional<machine> {
    auto const* const found = std::ranges::find(detail::machines, name, &machine::name);
    return found == detail::machines.end() ? std::nullopt : std::optional(*found);
}

REPEBBLE_INLINE auto machine_names() -> std::string {
    std::string all;
    for (auto const& m : detail::machines) all.append(all.empty() ? "" : ", ").append(m.name);
    return all;
}

}  // namespace repebble::inline v0::io

#endif
