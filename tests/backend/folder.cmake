# What our own linker is compared with.
if(VITRO_LLD)
  target_compile_definitions(backend_test PRIVATE VITRO_TEST_LLD="${VITRO_LLD}")
endif()
