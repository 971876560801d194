# Not critical for speed: graph text is for people and tests, passes run once per graph.
vitro_compile_for_size(graph "arguments.cpp;build.cpp;graph.cpp;interpret.cpp;metas.cpp;parse.cpp;print.cpp;verify.cpp;pass.cpp;passes/*.cpp")
