# Called once a step; the work is in ops.
vitro_compile_for_size(optim "*.cpp")
