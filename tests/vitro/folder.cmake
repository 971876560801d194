add_library(vitro_test_collector MODULE ${PROJECT_SOURCE_DIR}/tests/collector/collector.cpp)
vitro_warnings(vitro_test_collector)
add_dependencies(vitro_test vitro_test_collector)
target_compile_definitions(vitro_test PRIVATE VITRO_TEST_COLLECTOR="$<TARGET_FILE:vitro_test_collector>")
# What is compiled ahead stays small: ops that are called rarely are compiled on demand.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT VITRO_SANITIZE)
  math(EXPR most "8 * 1024 * 1024")
  add_test(NAME vitro.size COMMAND ${PROJECT_SOURCE_DIR}/tests/vitro/check_size.sh ${CMAKE_STRIP} $<TARGET_FILE:vitro> ${most})
endif()
