// Reads an ONNX model, with repebble::onnx.
#include <iostream>

#include <repebble/onnx/onnx_network.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    auto const net = repebble::io::read_onnx(argv[1]);
    std::cout << net.nodes().size() << " operations\n";
    return net.nodes().empty() ? 1 : 0;
}
