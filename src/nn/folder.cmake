# Models are made of layers once, and their calls of calls of ops.
vitro_compile_for_size(nn "bert.cpp;gpt2.cpp")
