# Runs all tests again under an interpreter that changes nothing (pass_through.cpp).
foreach(where outside inside)
  add_test(NAME capture.with_an_interpreter_${where} COMMAND capture_test --gtest_brief=1)
  set_tests_properties(capture.with_an_interpreter_${where} PROPERTIES ENVIRONMENT VITRO_TEST_INTERPRETER=${where})
endforeach()
