# Code that runs once per variable, name or code.
vitro_compile_for_size(base "sort_list.cpp;option.cpp;code.cpp;nearest.cpp;counted.cpp;cache_folder.cpp;split.cpp;error.cpp;module_path.cpp")
# What walks the stack of every event.
vitro_compile_for_speed(base "unwind.cpp")
