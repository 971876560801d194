# Texts of graphs are read by people and tests.
vitro_compile_for_size(graph "parse.cpp")
