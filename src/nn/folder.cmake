# Called once per model.
vitro_compile_for_size(nn "*.cpp")
