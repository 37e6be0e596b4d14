#include <cstdio>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "cuda_device.hpp"
#include "program/arguments.hpp"
#include "program/guarded.hpp"
#include "program/run_training.hpp"

namespace {

constexpr int skipped = 77;

train::device_offers const offers{
    .precisions = {train::precision::fp32, train::precision::tf32, train::precision::bf16}, .capture = true};

auto has_gpu() -> bool {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace

int main(int argc, char** argv) {
    return train::guarded("train_cuda", [&] {
        train::arguments asked;
        if (auto const status = train::read_arguments("train_cuda", argc, argv, asked, offers)) return *status;
        if (!has_gpu()) {
            fmt::print(stderr, "train_cuda: there is no GPU here\n");
            return skipped;
        }
        train_cuda::device_options options;
        options.math =
            asked.precision == train::precision::tf32 ? train_cuda::precision::tf32 : train_cuda::precision::float32;
        options.seed = asked.seed;
        train_cuda::cuda_device device(options);
        return train::training_run(asked, device, {}).run();
    });
}
