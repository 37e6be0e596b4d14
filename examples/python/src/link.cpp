// Bodies of io that the library leaves to those who use it.
#include <repebble/impl/io/machine.ipp>
#include <repebble/impl/io/parse_link.ipp>
