add_library(vitro_test_collector MODULE ${PROJECT_SOURCE_DIR}/tests/collector/collector.cpp)
vitro_warnings(vitro_test_collector)
add_dependencies(vitro_test vitro_test_collector)
target_compile_definitions(vitro_test PRIVATE VITRO_TEST_COLLECTOR="$<TARGET_FILE:vitro_test_collector>")
