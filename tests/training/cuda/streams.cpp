#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "stand_in.hpp"
#include "streams.hpp"

// Streams and events, also while they are captured, and the graphs that captures become.

struct CUgraph_st {
    std::shared_ptr<cuda_stand_in::capture> made{};
};

/// Every node has a lane of the graph's own: that of one before it which has no other behind it yet, or a new one.
struct CUgraphExec_st {
    std::vector<cuda_stand_in::capture::node> nodes{};
    std::vector<std::size_t> lane_of{};
    std::vector<std::unique_ptr<cuda_stand_in::lane>> lanes{};
};

namespace cuda_stand_in {

namespace {

/// Streams that are being captured.
auto capturing() -> std::set<cudaStream_t>& {
    static std::set<cudaStream_t> streams;
    return streams;
}

auto break_capture(capture& c, cudaError_t why) -> cudaError_t {
    if (c.broken == cudaSuccess) c.broken = why;
    return failed(why);
}

void add_to(std::vector<std::size_t>& nodes, std::vector<std::size_t> const& others) {
    for (auto const n : others)
        if (std::ranges::find(nodes, n) == nodes.end()) nodes.push_back(n);
}

/// All nodes that come before some.
auto before(capture const& c, std::vector<std::size_t> const& last) -> std::vector<bool> {
    std::vector<bool> found(c.nodes.size(), false);
    for (auto const n : last) found[n] = true;
    for (auto n = c.nodes.size(); n-- > 0;)
        if (found[n])
            for (auto const earlier : c.nodes[n].after) found[earlier] = true;
    return found;
}

}  // namespace

auto enqueue(cudaStream_t stream, char const* name, std::function<void()> run) -> cudaError_t {
    if (stream == nullptr) return failed(cudaErrorInvalidResourceHandle);
    if (auto const c = stream->captured_by) {
        if (c->broken != cudaSuccess) return failed(cudaErrorStreamCaptureInvalidated);
        c->nodes.push_back({.what = {name, std::move(run)}, .after = stream->last_nodes});
        stream->last_nodes = {c->nodes.size() - 1};
    } else if (fault().empty()) {
        stream->lane.push({name, std::move(run)});
    }
    return status();
}

auto interrupts_capture() -> bool {
    for (auto* const stream : capturing())
        static_cast<void>(break_capture(*stream->captured_by, cudaErrorStreamCaptureInvalidated));
    return !capturing().empty();
}

}  // namespace cuda_stand_in

using namespace cuda_stand_in;

auto cudaStreamCreateWithFlags(cudaStream_t* to, unsigned) -> cudaError_t {
    *to = new CUstream_st;
    return status();
}
auto cudaStreamDestroy(cudaStream_t stream) -> cudaError_t {
    capturing().erase(stream);
    delete stream;
    return status();
}
auto cudaStreamSynchronize(cudaStream_t stream) -> cudaError_t {
    if (stream->captured_by) return break_capture(*stream->captured_by, cudaErrorStreamCaptureUnsupported);
    stream->lane.synchronize();
    return status();
}

auto cudaEventCreateWithFlags(cudaEvent_t* to, unsigned flags) -> cudaError_t {
    *to = new CUevent_st{.timed = (flags & cudaEventDisableTiming) == 0};
    return status();
}
auto cudaEventDestroy(cudaEvent_t event) -> cudaError_t {
    delete event;
    return status();
}
auto cudaEventRecord(cudaEvent_t event, cudaStream_t stream) -> cudaError_t {
    event->captured_by = stream->captured_by;
    event->nodes = stream->last_nodes;
    event->recorded = stream->captured_by ? 0 : stream->lane.push({"cudaEventRecord", {}});
    return status();
}
auto cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) -> cudaError_t {
    if (flags != cudaEventRecordExternal) return cudaEventRecord(event, stream);
    if (!stream->captured_by) return failed(cudaErrorInvalidValue);
    auto const was = enqueue(stream, "cudaEventRecordWithFlags", {});
    if (was == cudaSuccess) stream->captured_by->nodes.back().records = event;
    return was;
}
auto cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) -> cudaError_t {
    if (event->captured_by) {
        bool const active = capturing().contains(event->captured_by->streams.front()) &&
                            event->captured_by->streams.front()->captured_by == event->captured_by;
        if (!active) return failed(cudaErrorCapturedEvent);
        if (!stream->captured_by) {
            stream->captured_by = event->captured_by;
            stream->last_nodes.clear();
            stream->captured_by->streams.push_back(stream);
            capturing().insert(stream);
        } else if (stream->captured_by != event->captured_by) {
            return break_capture(*stream->captured_by, cudaErrorStreamCaptureIsolation);
        }
        add_to(stream->last_nodes, event->nodes);
    } else if (event->recorded != 0) {
        if (stream->captured_by) return break_capture(*stream->captured_by, cudaErrorStreamCaptureIsolation);
        stream->lane.push({"cudaStreamWaitEvent", {}}, {event->recorded});
    }
    return status();
}
auto cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) -> cudaError_t {
    if (!first->timed || !second->timed || first->recorded == 0 || second->recorded == 0)
        return failed(cudaErrorInvalidResourceHandle);
    if (!is_over(first->recorded) || !is_over(second->recorded)) return failed(cudaErrorNotReady);
    *milliseconds = static_cast<float>(nanoseconds_of(second->recorded) - nanoseconds_of(first->recorded)) * 1e-6F;
    return status();
}

auto cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) -> cudaError_t {
    if (stream->captured_by) return failed(cudaErrorStreamCaptureUnmatched);
    stream->captured_by = std::make_shared<capture>();
    stream->captured_by->streams = {stream};
    stream->last_nodes.clear();
    capturing().insert(stream);
    return status();
}
auto cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) -> cudaError_t {
    auto const c = stream->captured_by;
    if (!c || c->streams.front() != stream) return failed(cudaErrorStreamCaptureUnmatched);
    auto error = c->broken;
    auto const joined = before(*c, stream->last_nodes);
    if (error == cudaSuccess && !std::ranges::all_of(joined, std::identity{})) error = cudaErrorStreamCaptureUnjoined;
    for (auto* const s : c->streams) {
        capturing().erase(s);
        s->captured_by = nullptr;
        s->last_nodes.clear();
    }
    *to = error == cudaSuccess ? new CUgraph_st{c} : nullptr;
    return error == cudaSuccess ? status() : failed(error);
}

auto cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long) -> cudaError_t {
    auto made = std::make_unique<CUgraphExec_st>();
    made->nodes = graph->made->nodes;
    std::vector<bool> continued(made->nodes.size(), false);
    for (auto const& n : made->nodes) {
        auto const at = std::ranges::find_if_not(n.after, [&](std::size_t earlier) { return continued[earlier]; });
        if (at != n.after.end()) {
            continued[*at] = true;
            made->lane_of.push_back(made->lane_of[*at]);
        } else {
            made->lane_of.push_back(made->lanes.size());
            made->lanes.push_back(std::make_unique<lane>());
        }
    }
    *to = made.release();
    return status();
}
auto cudaGraphDestroy(cudaGraph_t graph) -> cudaError_t {
    delete graph;
    return status();
}
auto cudaGraphExecDestroy(cudaGraphExec_t graph) -> cudaError_t {
    delete graph;
    return status();
}
auto cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) -> cudaError_t {
    if (stream->captured_by) return break_capture(*stream->captured_by, cudaErrorStreamCaptureUnsupported);
    auto const start = stream->lane.push({"cudaGraphLaunch", {}});
    std::vector<operation_number> numbers;
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
        std::vector<operation_number> after{start};
        for (auto const earlier : graph->nodes[i].after) after.push_back(numbers[earlier]);
        numbers.push_back(graph->lanes[graph->lane_of[i]]->push(graph->nodes[i].what, after));
        if (auto* const event = graph->nodes[i].records) event->recorded = numbers.back();
    }
    stream->lane.push({"cudaGraphLaunch", {}}, numbers);
    return status();
}
