# What runs once for a name or a message.
vitro_compile_for_size(core "schema.cpp;arg_value.cpp;attributes.cpp;print.cpp")
