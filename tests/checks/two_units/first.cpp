// Everything public, in two translation units: whatever is not inline is defined twice, and does not link.
#include "all_headers.hpp"

int second();

int main() { return second(); }
