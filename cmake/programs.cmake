# The targets built from the folders: the shared library, libraries of models (models/) and images (images/), the program `vitro`
# (cli/), the lessons (examples/) and the benchmarks (bench/).  Each is built from all files in its folder; missing folders are skipped.

# Writes the version script of libvitro.so when a header changes.
function(vitro_version_script out)
  set(script ${PROJECT_BINARY_DIR}/generated/libvitro.map)
  set(writer ${PROJECT_SOURCE_DIR}/cmake/version_script.cmake)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*.h)
  add_custom_command(
    OUTPUT ${script}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${script} -P ${writer}
    DEPENDS ${writer} ${PROJECT_SOURCE_DIR}/cmake/libvitro.map ${headers}
    VERBATIM)
  add_custom_target(vitro_version_script DEPENDS ${script})
  set(${out} ${script} PARENT_SCOPE)
endfunction()

# libvitro.so contains all folders.  Programs and installed users link vitro::vitro.
function(vitro_library)
  add_library(vitro SHARED)
  vitro_version_script(script)
  add_dependencies(vitro vitro_version_script)
  vitro_link_closure(vitro ${VITRO_FOLDERS})
  set_target_properties(vitro PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 INSTALL_RPATH "$ORIGIN")
  target_compile_features(vitro INTERFACE cxx_std_20)
  target_link_options(
    vitro PRIVATE -Wl,-Bsymbolic-functions  # calls within the library are direct
                  -Wl,-z,pack-relative-relocs  # relocations take a tenth of the space
                  -Wl,--version-script=${script}
                  -Wl,--gc-sections
                  $<$<CONFIG:Release>:-Wl,-O2>  # strings share their ends
                  $<$<AND:$<CONFIG:Release>,$<BOOL:${VITRO_LLD}>>:-Wl,--icf=all>)  # folds identical functions, which confuses debuggers
  set_target_properties(vitro PROPERTIES LINK_DEPENDS ${script})
  target_include_directories(
    vitro INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(vitro::vitro ALIAS vitro)
  if(TARGET vitro_test)
    add_dependencies(vitro_test vitro)
    target_compile_definitions(vitro_test PRIVATE VITRO_LIBRARY="$<TARGET_FILE:vitro>")
  endif()
endfunction()

# libvitro_NAME.so, from NAME/*.cpp, a library on the public headers of libvitro.so that programs link as vitro::NAME, which
# includes vitro::vitro; its public headers are NAME/vitro/NAME/*.h, its tests tests/NAME/*.cpp.  More arguments: what it links.
function(vitro_library_on_top name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp)
  # Tests that contain folders of the library link the objects, because they must not load the library as well.
  add_library(vitro_${name} OBJECT ${sources})
  vitro_warnings(vitro_${name})
  target_include_directories(vitro_${name} PUBLIC ${PROJECT_SOURCE_DIR}/${name} ${PROJECT_SOURCE_DIR}/include)
  target_compile_features(vitro_${name} PUBLIC cxx_std_20)
  target_link_libraries(vitro_${name} PUBLIC ${ARGN})

  add_library(vitro_${name}_shared SHARED $<TARGET_OBJECTS:vitro_${name}>)
  set_target_properties(
    vitro_${name}_shared PROPERTIES OUTPUT_NAME vitro_${name} EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION 0
                                    LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN")
  target_include_directories(vitro_${name}_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${name}>)
  target_link_libraries(vitro_${name}_shared PUBLIC vitro PRIVATE ${ARGN})
  add_library(vitro::${name} ALIAS vitro_${name}_shared)

  if(VITRO_TESTS)
    file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
    add_executable(${name}_test ${tests})
    vitro_warnings(${name}_test)
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(${name}_test PRIVATE VITRO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    target_link_libraries(${name}_test PRIVATE vitro::${name} nlohmann_json::nlohmann_json GTest::gtest GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# Complete models and their tokenizers.
function(vitro_models)
  vitro_library_on_top(models PkgConfig::utf8proc)
  # The script that downloads MiniLM is embedded in the library.
  set(script ${PROJECT_SOURCE_DIR}/tools/fetch_minilm)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(READ ${script} text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/models/fetch_minilm_script.h @ONLY CONTENT
       "inline constexpr char fetch_minilm_script[] = R\"script(@text@)script\";\n")
  target_include_directories(vitro_models PRIVATE ${PROJECT_BINARY_DIR}/models)
endfunction()

# Image files, folders of images, augmentations.
function(vitro_images)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(image_files REQUIRED IMPORTED_TARGET libpng libturbojpeg)
  vitro_library_on_top(images PkgConfig::image_files)
endfunction()

# build/PRESET/cli/vitro, from cli/*.cpp.  `tools/demo` builds the target vitro_programs.
function(vitro_cli)
  add_custom_target(vitro_programs)
  if(TARGET vitro-cc)
    add_dependencies(vitro_programs vitro-cc)
  endif()
  vitro_program(vitro_cli cli)
  if(TARGET vitro_cli)
    find_package(CLI11 REQUIRED)
    target_link_libraries(vitro_cli PRIVATE CLI11::CLI11)
    set_target_properties(
      vitro_cli PROPERTIES OUTPUT_NAME vitro INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    add_dependencies(vitro_programs vitro_cli)
    vitro_cli_tests()
  endif()
endfunction()

# Tests of the command line's replacements for parts of the standard library, in a separate program.
function(vitro_cli_tests)
  if(NOT VITRO_TESTS)
    return()
  endif()
  set(cli ${PROJECT_SOURCE_DIR}/cli)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/*.cpp)
  set(tested large_arrays comparison power image_input)
  list(TRANSFORM tested REPLACE "(.+)" "${cli}/\\1.cpp")
  add_executable(cli_test ${tests} ${tested})
  vitro_warnings(cli_test)
  target_include_directories(cli_test PRIVATE ${cli} ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(cli_test PRIVATE VITRO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_link_libraries(cli_test PRIVATE vitro::images CLI11::CLI11 GTest::gtest GTest::gtest_main)
  gtest_discover_tests(cli_test TEST_PREFIX "cli." DISCOVERY_TIMEOUT 60)
endfunction()

# build/PRESET/bench/vitro_bench, from bench/*.cpp; build/bench is a link to the folder of the release build.
function(vitro_bench)
  if(NOT VITRO_BENCH)
    return()
  endif()
  vitro_program(vitro_bench bench)
  if(TARGET vitro_bench)
    target_include_directories(vitro_bench PRIVATE ${PROJECT_SOURCE_DIR}/src)
    if(PROJECT_BINARY_DIR STREQUAL ${PROJECT_SOURCE_DIR}/build/release)
      file(CREATE_LINK release/bench ${PROJECT_SOURCE_DIR}/build/bench SYMBOLIC)
    endif()
  endif()
endfunction()

# A program from FOLDER/*.cpp, built into build/PRESET/FOLDER.  FOLDER/folder.cmake may add to it.
function(vitro_program target folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "\\.kernel\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_executable(${target} ${sources})
  vitro_warnings(${target})
  target_link_libraries(${target} PRIVATE vitro::models)
  if(TARGET vitro_trees)
    add_dependencies(${target} vitro_trees)
  endif()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/folder.cmake)
    include(${PROJECT_SOURCE_DIR}/${folder}/folder.cmake)
  endif()
endfunction()

# Every lesson, examples/NN_name.cpp or examples/NN_name/*.cpp, is a program with only public headers and libvitro.so, and a
# test that it runs successfully without arguments, or with those in arguments_NN_name.  Files that it reads are in VITRO_TEST_DATA.
function(vitro_examples)
  if(NOT VITRO_EXAMPLES)
    return()
  endif()
  set(arguments_13_resnet18_profile 2 64)  # fewer and smaller images
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/examples/[0-9]*)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    vitro_example(${name} ${file})
  endforeach()
  foreach(folder IN LISTS folders)
    if(IS_DIRECTORY ${folder})
      cmake_path(GET folder FILENAME name)
      file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
      vitro_example(${name} ${sources})
    endif()
  endforeach()
endfunction()

function(vitro_example name)
  add_executable(example_${name} ${ARGN})
  vitro_warnings(example_${name})
  target_link_libraries(example_${name} PRIVATE vitro::models vitro::images)
  target_compile_definitions(example_${name} PRIVATE VITRO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  set_target_properties(
    example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  if(VITRO_TESTS)
    set(scratch ${PROJECT_BINARY_DIR}/examples/${name}.run)
    file(MAKE_DIRECTORY ${scratch})
    add_test(NAME examples.${name} COMMAND example_${name} ${arguments_${name}} WORKING_DIRECTORY ${scratch})
    set_tests_properties(examples.${name} PROPERTIES TIMEOUT 300)
  endif()
endfunction()

# tests/compile_fail/*.cpp: each is a test that the file does not compile.
function(vitro_compile_fail)
  if(NOT VITRO_TESTS)
    return()
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/compile_fail/*.cpp)
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    add_test(
      NAME compile_fail.${name}
      COMMAND ${CMAKE_COMMAND} -DCXX=${CMAKE_CXX_COMPILER} -DROOT=${PROJECT_SOURCE_DIR} -DFILE=${file}
              -P ${PROJECT_SOURCE_DIR}/tests/compile_fail/run.cmake)
  endforeach()
endfunction()

# build/PRESET/fuzz/vitro_fuzz, from tests/fuzz/*.cpp: random programs, eager against compiled; fewer with sanitizers, which
# are slow.
function(vitro_fuzz)
  if(NOT VITRO_TESTS)
    return()
  endif()
  vitro_program(vitro_fuzz tests/fuzz)
  set_target_properties(vitro_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  set(count 2000)
  if(VITRO_SANITIZE)
    set(count 200)
  endif()
  add_test(NAME fuzz.random_programs COMMAND vitro_fuzz --count ${count} --jobs 2 --unwanted V0601 --unwanted V0605)
  set_tests_properties(
    fuzz.random_programs
    PROPERTIES TIMEOUT 1200 PROCESSORS 2 ENVIRONMENT "VITRO_CACHE_DIR=${PROJECT_BINARY_DIR}/fuzz/cache;VITRO_LOGS=-capture")
endfunction()

# build/PRESET/opinfo/vitro_check_ops, from tests/opinfo/*.cpp: PyTorch's own samples; tools/check_ops runs it.
function(vitro_check_ops)
  if(NOT VITRO_TESTS)
    return()
  endif()
  vitro_program(vitro_check_ops tests/opinfo)
  target_sources(vitro_check_ops PRIVATE ${PROJECT_SOURCE_DIR}/tests/eager/call.cpp ${PROJECT_SOURCE_DIR}/tests/eager/compare.cpp)
  target_link_libraries(vitro_check_ops PRIVATE vitro_op_samples)
  set_target_properties(vitro_check_ops PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/opinfo)
endfunction()

# build/PRESET/fuzz/vitro_fuzz_reader and vitro_fuzz_files: fuzz the trace reader, and the readers of files of tensors, by libFuzzer
# with sanitizers, for which the readers are compiled again; vitro_fuzz_programs loads and runs programs of torch.export.  Need
# Clang; tools/fuzz_reader builds and runs them.
function(vitro_fuzz_reader)
  if(NOT VITRO_FUZZ_READER)
    return()
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "VITRO_FUZZ_READER needs Clang, got ${CMAKE_CXX_COMPILER_ID}: run tools/fuzz_reader")
  endif()
  vitro_fuzzer(
    vitro_fuzz_reader src/base/*.cpp src/report/*.cpp src/analyze/read/*.cpp tests/analyze/read/read_one.cpp
    tests/analyze/read/by_simdjson.cpp tests/fuzz_reader/main.cpp)
  vitro_fuzzer(
    vitro_fuzz_files src/base/*.cpp src/events/*.cpp src/sym/*.cpp src/core/*.cpp src/report/*.cpp src/io/*.cpp
    tests/io/read_any.cpp tests/fuzz_reader/files.cpp)
  target_link_libraries(vitro_fuzz_files PRIVATE nlohmann_json::nlohmann_json)
  # Programs call ops, for which the whole library is needed: VITRO_SANITIZE compiles it with sanitizers, too.
  add_executable(
    vitro_fuzz_programs EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/exported/run_any.cpp
                                         ${PROJECT_SOURCE_DIR}/tests/fuzz_reader/programs.cpp)
  target_include_directories(vitro_fuzz_programs PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  vitro_link_closure(vitro_fuzz_programs vitro)
  target_link_options(vitro_fuzz_programs PRIVATE -fsanitize=fuzzer)
  set_target_properties(vitro_fuzz_programs PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()

# One of them, from files (patterns).
function(vitro_fuzzer name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  # Writers of programs need graphs and ops, which are not compiled here.
  list(FILTER sources EXCLUDE REGEX "/io/pt2/(program_writer|aten_call)\\.cpp$")
  add_executable(${name} EXCLUDE_FROM_ALL ${sources})
  target_include_directories(
    ${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE VITRO_ISAL=$<BOOL:${isal_FOUND}> FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
  target_compile_options(${name} PRIVATE -g1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(
    ${name} PRIVATE simdjson::simdjson ZLIB::ZLIB PkgConfig::zstd Threads::Threads ${CMAKE_DL_LIBS}
                    $<TARGET_NAME_IF_EXISTS:PkgConfig::isal> PkgConfig::utf8proc)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()
