# Events of which there are few.
vitro_compile_for_size(events "rare.cpp")
