/* Numbers of LANES points side by side, on which one instruction of the processor works at once.

   A lane has the digits that it has alone: every operation is that of one number, LANES times. With
   LANES 1, as on a GPU, they are plain numbers. Sine and cosine are written here, since those of
   libraries differ between one number and several. Where LANES does not stand before it, it is what the
   widest registers hold. */
#ifndef LANES
#if defined(__CUDACC__) || defined(_WIN32)
#define LANES 1
#else
#define LANES 8
#endif
#endif

#if LANES == 1
typedef double lanes;
typedef long long marks;
#define LANE(v, j) (v)
#define ALL_LANES(c) (c)
#define lanes_pick(m, a, b) ((m) ? (a) : (b))
#else
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long marks __attribute__((vector_size(8 * LANES)));
#define LANE(v, j) ((v)[j])
#define ALL_LANES(c) ((c) - (lanes){0.0})
#define lanes_pick(m, a, b) lanes_chosen(m, a, b)
#endif
#define EACH_LANE for (int j = 0; j < LANES; j++)

#ifdef __CUDACC__
ROUTH marks lanes_bits(lanes x) { return __double_as_longlong(x); }
ROUTH lanes lanes_of_bits(marks bits) { return __longlong_as_double(bits); }
#else
ROUTH marks lanes_bits(lanes x)
{
    union { lanes x; marks bits; } both;
    both.x = x;
    return both.bits;
}
ROUTH lanes lanes_of_bits(marks bits)
{
    union { lanes x; marks bits; } both;
    both.bits = bits;
    return both.x;
}
#endif
#if LANES > 1
ROUTH lanes lanes_chosen(marks m, lanes a, lanes b)
{
    return lanes_of_bits((lanes_bits(a) & m) | (lanes_bits(b) & ~m));
}
#endif

/* The larger and the smaller of two, the other where one is no number. */
ROUTH lanes lanes_fmax(lanes a, lanes b) { return lanes_pick((b > a) | (a != a), b, a); }
ROUTH lanes lanes_fmin(lanes a, lanes b) { return lanes_pick((b < a) | (a != a), b, a); }
ROUTH lanes lanes_fabs(lanes x) { return lanes_of_bits(lanes_bits(x) & 0x7fffffffffffffffLL); }

/* Beyond this many radians the library answers: the parts of pi/2 below are exact for 2^16 quarters. */
#define LANES_FAR 1e5

ROUTH_APART void lanes_far(const lanes *x, lanes *s, lanes *c)
{
    EACH_LANE {
        const double at = LANE(*x, j);
        if (fabs(at) < LANES_FAR) continue;
        LANE(*s, j) = sin(at);
        LANE(*c, j) = cos(at);
    }
}

/* Sine and cosine to less than one unit in the last place. x = n pi/2 + r + low with |r| <= pi/4, where
   pi/2 is in three parts: n times the first two, of 33 bits each, is exact. Then the power series of
   both, whose first terms that are left out are below 1e-18, and r with low by the sum of angles. */
ROUTH void lanes_sincos(lanes x, lanes *s, lanes *c)
{
    const lanes magic = ALL_LANES(0x1.8p52);
    const lanes shifted = x * 0x1.45f306dc9c883p-1 + magic;
    const lanes n = shifted - magic;
    const marks quarter = lanes_bits(shifted);
    const lanes first = x - n * 0x1.921fb54400000p+0;
    const lanes second = n * 0x1.0b4611a600000p-34;
    const lanes nearly = first - second;
    const lanes rest = (first - nearly) - second - n * 0x1.3198a2e037073p-69;
    const lanes r = nearly + rest;
    const lanes low = (nearly - r) + rest;
    const lanes z = r * r, half = 0.5 * z, one = 1.0 - half;
    const lanes z2 = z * z, z4 = z2 * z2;
    const lanes odd = ((-0.16666666666666666 + 0.008333333333333333 * z)
        + (-0.0001984126984126984 + 2.7557319223985893e-06 * z) * z2)
        + ((-2.505210838544172e-08 + 1.6059043836821613e-10 * z)
        + (-7.647163731819816e-13 + 2.8114572543455206e-15 * z) * z2) * z4;
    const lanes even = ((0.041666666666666664 - 0.001388888888888889 * z)
        + (2.48015873015873e-05 - 2.755731922398589e-07 * z) * z2)
        + ((2.08767569878681e-09 - 1.1470745597729725e-11 * z) + 4.779477332387385e-14 * z2) * z4;
    const marks sine = lanes_bits(r + (r * z * odd + (low - low * half)));
    const marks cosine = lanes_bits(one + (((1.0 - one) - half) + (z2 * even - r * low)));
    const marks turned = -(quarter & 1);
    const lanes found = lanes_of_bits(((sine & ~turned) | (cosine & turned)) ^ ((quarter & 2) << 62));
    *s = lanes_pick(x == 0.0, x, found);  /* zero keeps its sign */
    *c = lanes_of_bits(((cosine & ~turned) | (sine & turned)) ^ (((quarter + 1) & 2) << 62));
    int far = 0;
    EACH_LANE far |= !(fabs(LANE(x, j)) < LANES_FAR);
    if (far) lanes_far(&x, s, c);
}

ROUTH lanes lanes_sin(lanes x)
{
    lanes s, c;
    lanes_sincos(x, &s, &c);
    return s;
}

ROUTH lanes lanes_cos(lanes x)
{
    lanes s, c;
    lanes_sincos(x, &s, &c);
    return c;
}

#define LANES_OF_ONE(name, value) \
    ROUTH lanes lanes_##name(lanes x) \
    { \
        lanes y; \
        EACH_LANE { \
            const double a = LANE(x, j); \
            LANE(y, j) = value; \
        } \
        return y; \
    }
#define LANES_OF_TWO(name, value) \
    ROUTH lanes lanes_##name(lanes x, lanes y) \
    { \
        lanes z; \
        EACH_LANE { \
            const double a = LANE(x, j), b = LANE(y, j); \
            LANE(z, j) = value; \
        } \
        return z; \
    }

LANES_OF_ONE(exp, exp(a))
LANES_OF_ONE(log, log(a))
LANES_OF_ONE(sqrt, sqrt(a))
LANES_OF_ONE(tan, tan(a))
LANES_OF_ONE(asin, asin(a))
LANES_OF_ONE(acos, acos(a))
LANES_OF_ONE(atan, atan(a))
LANES_OF_ONE(sinh, sinh(a))
LANES_OF_ONE(cosh, cosh(a))
LANES_OF_ONE(tanh, tanh(a))
LANES_OF_ONE(asinh, asinh(a))
LANES_OF_ONE(acosh, acosh(a))
LANES_OF_ONE(atanh, atanh(a))
LANES_OF_ONE(floor, floor(a))
LANES_OF_ONE(ceil, ceil(a))
LANES_OF_ONE(erf, erf(a))
LANES_OF_ONE(log1p, log1p(a))
LANES_OF_ONE(expm1, expm1(a))
LANES_OF_ONE(sign, a < 0 ? -1.0 : a > 0 ? 1.0 : a)
LANES_OF_ONE(not, !a)
LANES_OF_TWO(atan2, atan2(a, b))
LANES_OF_TWO(fmod, fmod(a, b))
LANES_OF_TWO(copysign, copysign(a, b))
LANES_OF_TWO(hypot, hypot(a, b))
LANES_OF_TWO(pow, pow(a, b))
LANES_OF_TWO(lt, a < b)
LANES_OF_TWO(le, a <= b)
LANES_OF_TWO(eq, a == b)
LANES_OF_TWO(ne, a != b)
LANES_OF_TWO(and, a && b)
LANES_OF_TWO(or, a || b)
LANES_OF_TWO(if_else_zero, a ? b : 0.0)
