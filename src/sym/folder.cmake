# Code that runs for messages and proofs of the compiler.
vitro_compile_for_size(sym "text.cpp;sample.cpp")
