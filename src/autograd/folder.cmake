# It calls ops, and what it says is for readers.
vitro_compile_for_size(autograd "*.cpp")
