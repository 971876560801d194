# Calls by name, pages, counting: what is not on the way of a call; and what only calls ops: gradients and composites.
vitro_compile_for_size(ops "all.cpp;overload.cpp;functions.cpp;page.cpp;flops.cpp;*_gradient.cpp;attention.cpp;convolution.cpp;pool.cpp;resample.cpp;sort.cpp;window.cpp")
