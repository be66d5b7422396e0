/* One source for the cores of a machine and for GPUs: a thread has a point.

   Stacks of N points with `size` numbers each lie row by row on a machine and column by column on a
   GPU, where threads side by side then read numbers side by side. AT(k, size) is where number k of the
   point `id` stands. */
#ifdef __CUDACC__
#define ROUTH static __device__ inline
#define ROUTH_APART static __device__ __noinline__
#define ROUTH_CONSTANT static __constant__ const
#define AT(k, size) ((k) * count + id)
#ifndef NAN
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#endif
#else
#include <math.h>
#if defined(_WIN32)
#define ROUTH_OUTSIDE __declspec(dllexport)
#else
#define ROUTH_OUTSIDE __attribute__((visibility("default")))
#endif
#define ROUTH static inline
#define ROUTH_APART static __attribute__((noinline))
#define ROUTH_CONSTANT static const
#define AT(k, size) (id * (size) + (k))
#endif

/* What all points share: no stack, but one array. */
#define SHARED

#define LOAD(to, from, size) for (int k_ = 0; k_ < (size); k_++) (to)[k_] = (from)[AT(k_, size)]
#define STORE(to, from, size) for (int k_ = 0; k_ < (size); k_++) (to)[AT(k_, size)] = (from)[k_]
