// Writes a page of HTML, with repebble::page.
#include <iostream>
#include <string>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/page/html_page.hpp>

int main() {
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}};
    auto const training = repebble::make_training_graph(net, repebble::weights{});
    auto const page = repebble::report::html_page(training.flow, {}, {.title = "seven"});
    std::cout << page.size() << " bytes\n";
    bool const is_whole = page.find("<title>seven</title>") != page.npos && page.find("new Plot(") != page.npos;
    return is_whole && page.ends_with("</html>\n") ? 0 : 1;
}
