# Code that runs once per name or message.
vitro_compile_for_size(core "schema.cpp;arg_value.cpp;attributes.cpp;print.cpp")
