# Calls by name, pages, counting: what is not on the way of a call; and gradients, which only call ops.
vitro_compile_for_size(ops "all.cpp;overload.cpp;functions.cpp;page.cpp;flops.cpp;*_gradient.cpp")
