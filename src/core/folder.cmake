# Code that runs once per name or message.
vitro_compile_for_size(core "schema.cpp;arg_value.cpp;attributes.cpp;print.cpp")
# What every call of an op passes, and random numbers.
vitro_compile_for_speed(core "op.cpp;op_event.cpp;tensor.cpp;reach.cpp;dtype.cpp;storage.cpp;generator.cpp")
