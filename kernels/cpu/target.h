#ifndef QUIRE_KERNELS_CPU_TARGET_H_
#define QUIRE_KERNELS_CPU_TARGET_H_

// Functions between QUIRE_BEGIN_TARGET_x and QUIRE_END_TARGET may use
// instructions of x. A target is set for these functions alone and not for a
// whole source, because an inline function of a header that a source compiled
// for AVX-512 would be a candidate for the linker to use everywhere, on
// machines without AVX-512 too. So headers are included before.

#define QUIRE_PRAGMA_(x) _Pragma(#x)

#if defined(__clang__)
#define QUIRE_BEGIN_TARGET_(x) \
  QUIRE_PRAGMA_(               \
      clang attribute push(__attribute__((target(x))), apply_to = function))
#define QUIRE_END_TARGET _Pragma("clang attribute pop")
#else
#define QUIRE_BEGIN_TARGET_(x) \
  _Pragma("GCC push_options") QUIRE_PRAGMA_(GCC target(x))
#define QUIRE_END_TARGET _Pragma("GCC pop_options")
#endif

#define QUIRE_BEGIN_TARGET_AVX2 QUIRE_BEGIN_TARGET_("avx2,fma,f16c")
#define QUIRE_AVX512_                                            \
  "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni," \
  "avx512bf16"
#define QUIRE_BEGIN_TARGET_AVX512 QUIRE_BEGIN_TARGET_(QUIRE_AVX512_)
// The instructions of AMX itself are written as assembly.
#define QUIRE_BEGIN_TARGET_AMX QUIRE_BEGIN_TARGET_(QUIRE_AVX512_ ",avx512fp16")

// A loop of a constant number of rounds that must vanish, so that arrays in it
// become registers.
#define QUIRE_UNROLL QUIRE_PRAGMA_(GCC unroll 32)

#define QUIRE_INLINE __attribute__((always_inline)) inline

#endif  // QUIRE_KERNELS_CPU_TARGET_H_
