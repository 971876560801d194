# Calls by name, pages, counting: what is not on the way of a call; and what calls ops: gradients, composites, functions.
vitro_compile_for_size(ops "all.cpp;overload.cpp;functions.cpp;page.cpp;flops.cpp;*_gradient.cpp;attention.cpp;convolution.cpp;pool.cpp;resample.cpp;scatter.cpp;sort.cpp;window.cpp")
