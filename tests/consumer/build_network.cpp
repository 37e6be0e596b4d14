// Builds a network by its name, with repebble::networks.
#include <iostream>

#include <repebble/networks/network_of.hpp>
#include <repebble/networks/vgg.hpp>

int main() {
    auto const net = repebble::networks::network_of(repebble::networks::vgg19({.batch = 1}));
    std::cout << net.nodes().size() << " operations\n";
    return net.nodes().size() == 47 ? 0 : 1;
}
