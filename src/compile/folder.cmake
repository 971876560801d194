# Once for a graph.
vitro_compile_for_size(compile "pipeline.cpp;partition.cpp;artifacts.cpp;kept_segment.cpp;compiled_function.cpp;on_demand.cpp")
