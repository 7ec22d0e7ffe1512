// The headers that nearly every test needs cost more than the tests: they are precompiled with this
// file, once for all. See CMakeLists.txt.
