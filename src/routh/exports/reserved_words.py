"""Words that symbols cannot have in other languages: their keywords, and functions that files call."""

from __future__ import annotations

from routh.exports.target_names import TAKEN


def _words(text: str) -> frozenset[str]:
    return frozenset((*TAKEN, *text.split()))


C = _words("""
    auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while asm near far linux unix main errno isfinite NAN INFINITY
    bool true false nullptr alignas alignof constexpr static_assert thread_local typeof typeof_unqual
    HUGE HUGE_VAL HUGE_VALF HUGE_VALL MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW TLOSS PLOSS X_TLOSS
    FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL FP_ILOGB0 FP_ILOGBNAN FP_FAST_FMA FP_FAST_FMAF
    FP_FAST_FMAL MATH_ERRNO MATH_ERREXCEPT math_errhandling
    M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
    sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil erf log1p expm1
    fabs pow fmin fmax atan2 fmod copysign hypot
""")
"""Some compilers take `linux`, `near` and the like for words of their own; names in capitals are macros
of math.h, and the second row are words since C23."""

PYTHON = _words("""
    False None True and as assert async await break class continue def del elif else except finally for
    from global if import in is lambda nonlocal not or pass raise return try while with yield match case
    type print np jnp jax math numpy range len float zip list dict set tuple repr sorted values
""")

MATLAB = _words("""
    break case catch classdef continue else elseif end endfunction endif endfor endwhile for function
    global if otherwise parfor persistent return spmd switch try while until unwind_protect do
    unwind_protect_cleanup end_unwind_protect end_try_catch endswitch endparfor endspmd endclassdef
    enumeration endenumeration events endevents methods endmethods properties endproperties arguments
    endarguments
    exp sin cos tan atan sinh cosh tanh asinh floor ceil abs sign erf expm1 sqrt log asin acos acosh
    atanh log1p min max atan2 hypot rem double real_ where_ zeros NaN Inf model
""")

MODELICA = _words("""
    algorithm and annotation block break class connect connector constant constrainedby der discrete
    each else elseif elsewhen encapsulated end enumeration equation expandable extends external false
    final flow for function if import impure in initial inner input loop model not operator or outer
    output package parameter partial protected public pure record redeclare replaceable return stream
    then true
    type when while within time Real Integer Boolean String abs sign sqrt div mod rem ceil floor integer
    sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 delay pre edge change sample reinit
    terminate noEvent smooth homotopy semiLinear min max sum product size ndims scalar vector matrix
    transpose identity diagonal zeros ones fill linspace cat cross skew initial terminal assert
""")

JULIA = _words("""
    abstract baremodule begin break catch const continue do else elseif end export false finally for
    function global if import in isa let local macro module mutable outer primitive public quote return
    struct true try type using where while
    Base Core Main LinearAlgebra Float64 Int NaN Inf I
    exp atan sinh cosh tanh asinh floor ceil abs sign expm1 min max hypot rem copysign sqrt log log1p
    asin acos acosh atanh sin cos tan isinf isinteger zeros
    sqrt_ log_ log1p_ asin_ acos_ acosh_ atanh_ sin_ cos_ tan_ power_ where_ solve_
    rate matrices linear energies held project slopes STATES INPUTS PARAMETERS ENERGIES DEFAULTS
""")
