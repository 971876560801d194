// The entry points of the compiled kernels: the functions that fill the table, per instruction set.
#pragma once

#include "eager/kernel_table.h"

#define VITRO_EAGER_KERNEL_ENTRY_POINTS(isa) \
  namespace vitro::eager::isa {              \
  void fill_pointwise_0(KernelTable&);       \
  void fill_pointwise_1(KernelTable&);       \
  void fill_pointwise_2(KernelTable&);       \
  void fill_pointwise_3(KernelTable&);       \
  void fill_reduction(KernelTable&);         \
  void fill_cast(KernelTable&);              \
  void fill_copy(KernelTable&);              \
  void fill_rows(KernelTable&);              \
  void fill_integer_product(KernelTable&);   \
  inline void fill(KernelTable& table) {     \
    fill_pointwise_0(table);                 \
    fill_pointwise_1(table);                 \
    fill_pointwise_2(table);                 \
    fill_pointwise_3(table);                 \
    fill_reduction(table);                   \
    fill_cast(table);                        \
    fill_copy(table);                        \
    fill_rows(table);                        \
    fill_integer_product(table);             \
  }                                          \
  }
