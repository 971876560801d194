# Installs the build BUILD into a folder of its own, builds the project CONSUMER against it and runs the program.
set(scratch ${BUILD}/consumer)
file(REMOVE_RECURSE ${scratch})
set(flags -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${scratch}/prefix)
if(SANITIZE)
  list(APPEND flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
set(echo COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix ${echo} OUTPUT_QUIET)
execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja -S ${CONSUMER} -B ${scratch}/build ${flags} ${echo})
execute_process(COMMAND ${CMAKE_COMMAND} --build ${scratch}/build ${echo})
execute_process(COMMAND ${scratch}/build/consumer ${echo})

foreach(file man/man1/vitro.1 man/man1/vitro-trace-gaps.1 bash-completion/completions/vitro zsh/site-functions/_vitro
             fish/vendor_completions.d/vitro.fish doc/vitro/docs/profiling.md doc/vitro/examples/01_cos_sin.cpp)
  file(SIZE ${scratch}/prefix/share/${file} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "${file} is empty")
  endif()
endforeach()

# The library needs no compiler and no other tensor library.
file(GLOB_RECURSE library ${scratch}/prefix/*/libvitro.so)
file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${library} RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing)
foreach(each IN LISTS needed missing)
  if(each MATCHES "LLVM|clang|dnnl|mkl|openvino|torch|libpng|jpeg")
    message(FATAL_ERROR "libvitro.so needs ${each}")
  endif()
endforeach()
