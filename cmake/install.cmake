# `cmake --install BUILD --prefix WHERE`, after which `find_package(vitro)` gives the targets vitro::vitro and vitro::models.
include(CMakePackageConfigHelpers)

function(vitro_install)
  install(TARGETS vitro vitro_models_shared EXPORT vitro_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(program IN ITEMS vitro_cli vitro-cc)
    if(TARGET ${program})
      install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
  endforeach()
  if(TARGET libvitro-cc)
    install(TARGETS libvitro-cc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    vitro_kernel_isas(isas)
    foreach(isa IN LISTS isas)
      install(FILES ${PROJECT_BINARY_DIR}/vitro_prelude.${isa}.ast DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
    endforeach()
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/vitro ${PROJECT_SOURCE_DIR}/models/vitro DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

  vitro_install_texts()

  set(where ${CMAKE_INSTALL_LIBDIR}/cmake/vitro)
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/vitroConfig.cmake.in ${PROJECT_BINARY_DIR}/vitroConfig.cmake INSTALL_DESTINATION ${where})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/vitroConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/vitroConfig.cmake ${PROJECT_BINARY_DIR}/vitroConfigVersion.cmake DESTINATION ${where})
  install(EXPORT vitro_targets NAMESPACE vitro:: DESTINATION ${where})

  if(VITRO_TESTS)
    add_test(
      NAME install.consumer
      COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DCONSUMER=${PROJECT_SOURCE_DIR}/tests/consumer
              -DCXX=${CMAKE_CXX_COMPILER} -DSANITIZE=${VITRO_SANITIZE}
              -DBUILD_TYPE=${CMAKE_BUILD_TYPE} -P ${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake)
  endif()
endfunction()

# Manual pages and completions, which the program writes of itself.
function(vitro_install_texts)
  if(NOT TARGET vitro_cli)
    return()
  endif()
  install(
    CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}\")
    set(vitro \"$<TARGET_FILE:vitro_cli>\")
    execute_process(COMMAND \${vitro} man --output \${share}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
    foreach(place bash:bash-completion/completions/vitro zsh:zsh/site-functions/_vitro fish:fish/vendor_completions.d/vitro.fish)
      string(REPLACE \":\" \";\" place \${place})
      list(GET place 0 shell)
      list(GET place 1 file)
      cmake_path(GET file PARENT_PATH folder)
      file(MAKE_DIRECTORY \${share}/\${folder})
      execute_process(COMMAND \${vitro} completion \${shell} OUTPUT_FILE \${share}/\${file} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
endfunction()
