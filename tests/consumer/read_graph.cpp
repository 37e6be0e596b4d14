// Reads a graph file, with repebble::json.
#include <iostream>

#include <repebble/io/json_network.hpp>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    auto const net = repebble::io::read_network(argv[1]);
    std::cout << net.nodes().size() << " operations\n";
    return net.nodes().empty() ? 1 : 0;
}
