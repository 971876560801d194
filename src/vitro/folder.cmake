set_source_files_properties(
  ${PROJECT_SOURCE_DIR}/src/vitro/version.cpp PROPERTIES COMPILE_DEFINITIONS VITRO_VERSION="${PROJECT_VERSION}")
