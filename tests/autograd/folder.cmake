# Calls of samples, as the tests of eager make them.
target_sources(autograd_test PRIVATE ${PROJECT_SOURCE_DIR}/tests/eager/call.cpp)
