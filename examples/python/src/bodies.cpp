// The bodies of the library, compiled once.
#include <repebble/src.hpp>
