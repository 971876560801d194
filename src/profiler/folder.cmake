vitro_page_texts(profiler)
# What is printed or set once, and what stop() makes of all events; not what passes each of them.
vitro_compile_for_size(profiler "*_page.cpp;memory_timeline.cpp;call_tree.cpp;averages.cpp;categories.cpp;input_texts.cpp;execution_trace.cpp;steps.cpp;stacks.cpp;shapes.cpp;*_table.cpp;*_file.cpp;compile_times.cpp;profile.cpp;rank.cpp;roofline.cpp;settings.cpp;whole_program.cpp;profiler.cpp;exports.cpp;peaks.cpp")
