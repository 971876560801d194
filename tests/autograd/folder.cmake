# Calls of samples, shared with the tests of eager.
target_sources(autograd_test PRIVATE ${PROJECT_SOURCE_DIR}/tests/eager/call.cpp)
