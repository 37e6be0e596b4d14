#include "all_headers.hpp"

int second();

int second() { return 0; }
