# What a person reads.
vitro_compile_for_size(debug "*.cpp")
