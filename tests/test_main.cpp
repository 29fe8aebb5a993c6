// doctest's own main is compiled into the library; this one only starts it.
#include <doctest/doctest.h>

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
