"""Words that symbols cannot have in other languages: their keywords, and functions that files call."""

from __future__ import annotations

from routh.exports.target_names import TAKEN


def _words(text: str) -> frozenset[str]:
    return frozenset((*TAKEN, *text.split()))


C = _words("""
    auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while asm near far linux unix main errno isfinite NAN INFINITY
    sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor ceil erf log1p expm1
    fabs pow fmin fmax atan2 fmod copysign hypot
""")
"""Some compilers take `linux`, `near` and the like for words of their own."""

PYTHON = _words("""
    False None True and as assert async await break class continue def del elif else except finally for
    from global if import in is lambda nonlocal not or pass raise return try while with yield match case
    type print np jnp jax math numpy range len float zip list dict set tuple repr sorted values
""")

MATLAB = _words("""
    break case catch classdef continue else elseif end endfunction endif endfor endwhile for function
    global if otherwise parfor persistent return spmd switch try while until unwind_protect
    exp sin cos tan atan sinh cosh tanh asinh floor ceil abs sign erf expm1 sqrt log asin acos acosh
    atanh log1p min max atan2 hypot rem double real_ where_ zeros NaN Inf model
""")
