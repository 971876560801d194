# Programs are read and planned once, and a step of a run takes longer than the way to it.
vitro_compile_for_size(exported "*.cpp")
