#include <cstdio>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "cuda_device.hpp"
#include "program/arguments.hpp"
#include "program/run_training.hpp"

namespace {

constexpr int skipped = 77;

auto has_gpu() -> bool {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace

int main(int argc, char** argv) {
    return train::guarded("train_cuda", [&] {
        train::arguments asked;
        if (auto const status = train::read_arguments("train_cuda", argc, argv, asked, {.capture = true}))
            return *status;
        if (!has_gpu()) {
            fmt::print(stderr, "train_cuda: there is no GPU here\n");
            return skipped;
        }
        train_cuda::device_options options;
        options.math = asked.tf32 ? train_cuda::precision::tf32 : train_cuda::precision::float32;
        options.seed = asked.seed;
        train_cuda::cuda_device device(options);
        return train::training_run(asked, device, {}).run();
    });
}
