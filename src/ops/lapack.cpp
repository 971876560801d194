#include "ops/lapack.h"

#include <dlfcn.h>

#include <array>
#include <string>

#include "vitro/base/error.h"

namespace vitro::ops::lapack {
namespace {

struct Library {
  void* handle = nullptr;
  std::string why_not;
};

const Library& library() {
  static const Library one = [] {
    Library found;
    for (const char* file : {"liblapack.so.3", "libopenblas.so.0"}) {
      found.handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
      if (found.handle) break;
      const char* mistake = dlerror();
      if (found.why_not.empty()) found.why_not = mistake ? mistake : "unknown error";
    }
    return found;
  }();
  return one;
}

template <class F>
void load(F*& function, char prefix, std::string_view name) {
  const std::string symbol = cat(prefix, name, "_");
  function = reinterpret_cast<F*>(dlsym(library().handle, symbol.c_str()));
  VITRO_CHECK(function, "the installed LAPACK lacks ", symbol,
              "; install another one (Debian's package is liblapack3)");
}

template <class T>
Functions<T> all(char prefix) {
  Functions<T> f;
  load(f.getrf, prefix, "getrf");
  load(f.getrs, prefix, "getrs");
  load(f.potrf, prefix, "potrf");
  load(f.geqrf, prefix, "geqrf");
  load(f.orgqr, prefix, "orgqr");
  load(f.gesdd, prefix, "gesdd");
  load(f.syevd, prefix, "syevd");
  load(f.sytrf, prefix, "sytrf");
  load(f.sytrs, prefix, "sytrs");
  load(f.trsm, prefix, "trsm");
  return f;
}

}  // namespace

template <class T>
const Functions<T>& functions(std::string_view op) {
  VITRO_CHECK(library().handle, op, ": needs LAPACK, which cannot be loaded (", library().why_not,
              "); install liblapack.so.3 (Debian's package is liblapack3) or libopenblas.so.0");
  static const Functions<T> loaded = all<T>(sizeof(T) == sizeof(float) ? 's' : 'd');
  return loaded;
}
template const Functions<float>& functions(std::string_view);
template const Functions<double>& functions(std::string_view);

}  // namespace vitro::ops::lapack
