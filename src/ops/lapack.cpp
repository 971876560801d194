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

// s, d, c or z.
template <class T>
constexpr char prefix = is_complex<T> ? (sizeof(Real<T>) == sizeof(float) ? 'c' : 'z')
                                      : (sizeof(T) == sizeof(float) ? 's' : 'd');

template <class T>
Functions<T> all() {
  Functions<T> f;
  const auto find = [](auto*& function, std::string_view name) { load(function, prefix<T>, name); };
  find(f.getrf, "getrf");
  find(f.getrs, "getrs");
  find(f.potrf, "potrf");
  find(f.geqrf, "geqrf");
  find(f.orgqr, is_complex<T> ? "ungqr" : "orgqr");
  find(f.sytrf, "sytrf");
  find(f.sytrs, "sytrs");
  find(f.trsm, "trsm");
  find(f.gesdd, "gesdd");
  find(f.geev, "geev");
  if constexpr (is_complex<T>) {
    find(f.heevd, "heevd");
    find(f.hetrf, "hetrf");
    find(f.hetrs, "hetrs");
  } else {
    find(f.syevd, "syevd");
  }
  return f;
}

}  // namespace

template <class T>
const Functions<T>& functions(std::string_view op) {
  VITRO_CHECK(library().handle, op, ": needs LAPACK, which cannot be loaded (", library().why_not,
              "); install liblapack.so.3 (Debian's package is liblapack3) or libopenblas.so.0");
  static const Functions<T> loaded = all<T>();
  return loaded;
}
template const Functions<float>& functions(std::string_view);
template const Functions<double>& functions(std::string_view);
template const Functions<std::complex<float>>& functions(std::string_view);
template const Functions<std::complex<double>>& functions(std::string_view);

}  // namespace vitro::ops::lapack
