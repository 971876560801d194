/* The C interface of libvitro-cc: text and target in, shared object out.  Bytes to bytes, no C++
   types, so that the library can be loaded RTLD_LOCAL into any process, or stand behind a pipe
   (vitro-cc). Thread safety: vitro_cc_compile may be called from any threads at once; it leaves no
   signal handler and no global option behind. */
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
  VITRO_CC_OK = 1,       /* objects holds what was asked for */
  VITRO_CC_NO_MEANS = 2, /* no thread or no memory could be had: diagnostics says which */
};

typedef struct {
  const char* data;
  size_t size;
} VitroCcText;

typedef struct {
  uint32_t size;              /* sizeof(VitroCcRequest) */
  uint32_t vector_bits;       /* preferred width of vectors: 256 or 512; 0 leaves it to LLVM */
  const VitroCcText* sources; /* compiled side by side, to one object file each */
  size_t source_count;
  VitroCcText prelude;     /* what #include "vitro_prelude.h" means; empty: there is none */
  const char* precompiled; /* a file of vitro_cc_precompile, of this prelude, machine and flags; any
                              other, or an empty name, leaves the prelude to be read as text */
  const char* name; /* file name in diagnostics, and in line tables where the next is empty */
  const char*
      kept_texts; /* the texts will be kept in files: line tables call source i KEPT.i.cpp */
  const char* kept_prelude; /* and the prelude so */
  const char* triple;       /* "x86_64-unknown-linux-gnu" */
  const char* features;     /* "+avx2,+fma,..." */
  const char* flags;        /* arguments of clang's -cc1, separated by single spaces */
  uint32_t threads;         /* at most so many sources at once */
  uint32_t reserved;
} VitroCcRequest;

typedef struct {
  uint32_t size;        /* sizeof(VitroCcReply) */
  int32_t ok;           /* one of the three above */
  VitroCcText* objects; /* object files in the order of the sources; of vitro_cc_precompile, the
                           file alone; freed by vitro_cc_release, as is diagnostics */
  size_t object_count;
  VitroCcText diagnostics;
  int64_t clang_ns;
  int32_t from_tree; /* 1: no source had to read the prelude as text */
  int32_t reserved;
} VitroCcReply;

typedef int32_t VitroCcInterface(void);
typedef const char* VitroCcVersion(void);
typedef void VitroCcCompile(const VitroCcRequest*, VitroCcReply*);
typedef void VitroCcPrecompile(const VitroCcRequest*, VitroCcReply*);
typedef void VitroCcRelease(VitroCcReply*);

/* What the library exports. */
__attribute__((visibility("default"))) VitroCcInterface vitro_cc_interface; /* VITRO_CC_INTERFACE */
__attribute__((visibility("default"))) VitroCcVersion vitro_cc_version;     /* "LLVM 19.1.7" */
__attribute__((visibility("default"))) VitroCcCompile vitro_cc_compile;
__attribute__((visibility("default"))) VitroCcPrecompile vitro_cc_precompile;
__attribute__((visibility("default"))) VitroCcRelease vitro_cc_release;

#ifdef __cplusplus
}
#endif
#endif
