# Called once an epoch.
vitro_compile_for_size(training "*.cpp")
