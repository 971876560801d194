# Runs all tests again under an interpreter that changes nothing.
target_sources(compile_test PRIVATE ${PROJECT_SOURCE_DIR}/tests/capture/pass_through.cpp)
foreach(where outside inside)
  add_test(NAME compile.with_an_interpreter_${where} COMMAND compile_test --gtest_brief=1)
  set_tests_properties(compile.with_an_interpreter_${where} PROPERTIES ENVIRONMENT VITRO_TEST_INTERPRETER=${where})
endforeach()
