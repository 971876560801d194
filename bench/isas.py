"""Environment variables that limit the vector instructions of contenders.  ONNX Runtime has no such variable."""

ISAS = {"avx2": {"VITRO_ISA": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "DNNL_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2",
                 "MKL_ENABLE_INSTRUCTIONS": "AVX2", "XLA_FLAGS": "--xla_cpu_max_isa=AVX2"}}
HELP = "the widest vector instructions that contenders may use, for those that can be limited"
