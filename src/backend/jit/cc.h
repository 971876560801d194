/* The C interface of libvitro-cc: sources and target in, object files out.  It has no C++ types, so
   the library can be loaded RTLD_LOCAL into any process, or run in another (vitro-cc).  Thread
   safety: vitro_cc_compile may be called from any number of threads; it installs no signal handler
   and changes no global option. */
#ifndef VITRO_BACKEND_JIT_CC_H_
#define VITRO_BACKEND_JIT_CC_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VITRO_CC_INTERFACE 5

enum {
  VITRO_CC_FAILED = 0,   /* the text does not compile: diagnostics says why */
  VITRO_CC_OK = 1,       /* objects holds the result */
  VITRO_CC_NO_MEANS = 2, /* out of memory or threads: diagnostics says which */
};

typedef struct {
  const char* data;
  size_t size;
} VitroCcText;

typedef struct {
  uint32_t size;              /* sizeof(VitroCcRequest) */
  uint32_t vector_bits;       /* preferred width of vectors: 256 or 512; 0 leaves it to LLVM */
  const VitroCcText* sources; /* compiled in parallel, to one object file each */
  size_t source_count;
  VitroCcText prelude;     /* content of "vitro_prelude.h"; empty: there is none */
  const char* precompiled; /* a file made by vitro_cc_precompile; if it does not match this prelude,
                              machine and flags, or is "", the prelude is read as text */
  const char* name;        /* file name in diagnostics, and in line tables if kept_texts is empty */
  const char*
      kept_texts; /* prefix of the files that will keep the sources: source i is PREFIX.i.cpp */
  const char* kept_prelude; /* the file that will keep the prelude */
  const char* triple;       /* "x86_64-unknown-linux-gnu" */
  const char* features;     /* "+avx2,+fma,..." */
  const char* flags;        /* arguments of clang's -cc1, separated by single spaces */
  uint32_t threads;         /* maximum number of sources compiled at once */
  uint32_t reserved;
} VitroCcRequest;

typedef struct {
  uint32_t size;        /* sizeof(VitroCcReply) */
  int32_t ok;           /* one of the three above */
  VitroCcText* objects; /* object files in the order of the sources; for vitro_cc_precompile, one
                           file; vitro_cc_release frees it and diagnostics */
  size_t object_count;
  VitroCcText diagnostics;
  int64_t clang_ns;
  int32_t from_tree; /* 1: no source parsed the prelude as text */
  int32_t reserved;
} VitroCcReply;

typedef int32_t VitroCcInterface(void);
typedef const char* VitroCcVersion(void);
typedef void VitroCcCompile(const VitroCcRequest*, VitroCcReply*);
typedef void VitroCcPrecompile(const VitroCcRequest*, VitroCcReply*);
typedef void VitroCcRelease(VitroCcReply*);

/* Exported functions. */
__attribute__((visibility("default"))) VitroCcInterface vitro_cc_interface; /* VITRO_CC_INTERFACE */
__attribute__((visibility("default"))) VitroCcVersion vitro_cc_version;     /* "LLVM 19.1.7" */
__attribute__((visibility("default"))) VitroCcCompile vitro_cc_compile;
__attribute__((visibility("default"))) VitroCcPrecompile vitro_cc_precompile;
__attribute__((visibility("default"))) VitroCcRelease vitro_cc_release;

#ifdef __cplusplus
}
#endif
#endif
