// Fuzzing of the readers (run): a text is read or refused with a repebble::error, and what was read is written and read
// again as the same. FUZZ_READER names the reader.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/io/dot_graph.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/json_chain.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/traces/trace_file.hpp>
#include <repebble/onnx/onnx_network.hpp>
#include <repebble/onnx/parse_onnx.hpp>
#include <repebble/pipelines/json_pipeline.hpp>
#include <repebble/treewidth/pace_decomposition.hpp>
#include <repebble/treewidth/pace_graph.hpp>

namespace {

using namespace repebble;

void check(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

/// A network is written and read again. Names in ONNX need not be UTF-8, which JSON cannot say.
void check_written(io::network const& net) {
    std::string text;
    try {
        text = io::to_text(net);
    } catch (nlohmann::json::exception const&) {
        return;
    }
    check(io::parse_network(text) == net, "a network that was written is read as another");
}

void network(std::string const& text) {
    auto const net = io::parse_network(text);
    check_written(net);
    if (net.nodes().size() < 200) static_cast<void>(io::make_training_graph(net));
}
void dot(std::string const& text) { static_cast<void>(io::parse_dot(text)); }
void pace(std::string const& text) {
    auto const g = io::parse_pace_graph(text);
    if (g.vertex_count() > 100'000) return;
    check(io::parse_pace_graph(io::pace_graph_text(g)) == g, "a graph that was written is read as another");
}
void decomposition(std::string const& text) { static_cast<void>(io::parse_pace_decomposition(text)); }
void buffers(std::string const& text) {
    auto const table = io::parse_buffers(text);
    check(io::parse_buffers(io::to_text(table)) == table, "a table that was written is read as another");
}
void schedule(std::string const& text) {
    auto const read = io::parse_schedule(text);
    check(io::parse_schedule(io::to_text(read.header, read.schedule, read.reads)) == read,
          "a schedule that was written is read as another");
}
void chain(std::string const& text) { static_cast<void>(io::parse_chain(text)); }
void pipeline_file(std::string const& text) { static_cast<void>(io::parse_pipeline(text)); }
void trace(std::string const& text) {
    auto const read = io::parse_trace(text);
    check(io::trace_text(io::parse_trace(io::trace_text(read))) == io::trace_text(read),
          "a trace that was written is read as another");
}
void gzip_data(std::string const& text) {
    io::read_account const own, given({}, std::size_t{1} << 25U);
    check(repebble::io::detail::gunzip(repebble::io::detail::gzip(text), own) == text,
          "what was packed is unpacked to something else");
    static_cast<void>(repebble::io::detail::gunzip(text, given));
}
void onnx(std::string const& text) { check_written(io::onnx_network(io::parse_onnx_model(text))); }

using reader = void (*)(std::string const&);
std::map<std::string, reader> const readers{{"network", network},
                                            {"dot", dot},
                                            {"pace", pace},
                                            {"decomposition", decomposition},
                                            {"buffers", buffers},
                                            {"schedule", schedule},
                                            {"chain", chain},
                                            {"trace", trace},
                                            {"gzip", gzip_data},
                                            {"onnx", onnx},
                                            {"pipeline", pipeline_file}};

auto chosen() -> reader {
    auto const* const name = std::getenv("FUZZ_READER");
    auto const found = readers.find(name == nullptr ? "" : name);
    if (found != readers.end()) return found->second;
    std::fprintf(stderr, "FUZZ_READER names none of:");
    for (auto const& [known, f] : readers) std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
}

}  // namespace

extern "C" auto LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) -> int {
    static reader const read = chosen();
    try {
        read(std::string(reinterpret_cast<char const*>(data), size));
    } catch (error const& e) {
        check(e.what()[0] != '\0', "an error without a message");
    }
    return 0;
}
