// The bodies behind networks by name, ONNX models and graph files, compiled once; those of gzip are in no_gzip.cpp.
#include <repebble/impl/io/json_network.ipp>
#include <repebble/impl/io/network.ipp>
#include <repebble/impl/io/network_training.ipp>
#include <repebble/impl/io/parse_json.ipp>
#include <repebble/impl/io/read_account.ipp>
#include <repebble/onnx/src.hpp>
