"""Rooflines of devices, for times that are not measured."""

#: FLOP/s and bytes/s of devices. Products are in TF32 where the device has it.
DEVICES: dict[str, tuple[float, float]] = {
    "1080ti": (11.3e12, 484e9),
    "a100": (156e12, 2.0e12),
    "h100": (495e12, 3.35e12),
    "gh200": (495e12, 4.0e12),
}
