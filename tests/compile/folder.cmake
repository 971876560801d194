# Runs all tests again under an interpreter that changes nothing.
target_sources(compile_test PRIVATE ${PROJECT_SOURCE_DIR}/tests/capture/pass_through.cpp)
foreach(where outside inside)
  add_test(NAME compile.with_an_interpreter_${where} COMMAND compile_test --gtest_brief=1)
  set_tests_properties(compile.with_an_interpreter_${where} PROPERTIES ENVIRONMENT VITRO_TEST_INTERPRETER=${where})
endforeach()
# Random numbers are the same on every instruction set.
foreach(isa baseline avx2)
  add_test(NAME compile.random_on_${isa} COMMAND compile_test --gtest_brief=1 --gtest_filter=Random.*)
  set_tests_properties(compile.random_on_${isa} PROPERTIES ENVIRONMENT VITRO_ISA=${isa})
endforeach()
