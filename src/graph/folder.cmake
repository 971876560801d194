# Texts of graphs are read by people and tests; passes run once for a graph.
vitro_compile_for_size(graph "arguments.cpp;parse.cpp;print.cpp;verify.cpp;pass.cpp;passes/*.cpp")
