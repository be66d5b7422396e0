/* Eigenvalues of M s^2 + C s + K of several points side by side: the same steps as in `eigen.h`, each
   lane with shifts and blocks of its own. SIDE and HALF as in `spectrum.h`. */
#if LANES > 1

#define SMALLEST 1e-250 /* squares beyond these are left to the steps that scale */
#define LARGEST 1e250

/* Rows and columns of like sizes, by powers of two. */
ROUTH void balance_all(lanes *A)
{
    for (int again = 1, pass = 0; again && pass < 20; pass++) {
        again = 0;
        for (int i = 0; i < SIDE; i++) {
            lanes row = ALL_LANES(0.0), column = ALL_LANES(0.0), factor = ALL_LANES(1.0), other = ALL_LANES(1.0);
            for (int j = 0; j < SIDE; j++)
                if (j != i) {
                    row += lanes_fabs(A[i * SIDE + j]);
                    column += lanes_fabs(A[j * SIDE + i]);
                }
            int any = 0;
            for (int l = 0; l < LANES; l++) {
                double c = column[l], f = 1;
                const double r = row[l], sum = r + c;
                if (!(r > 0 && c > 0)) continue;
                while (c < r / 2 && f < 1e100) c *= 4, f *= 2;
                while (c >= r * 2 && f > 1e-100) c /= 4, f /= 2;
                if (f == 1 || !((c + r) / f < 0.95 * sum)) continue;
                factor[l] = f, other[l] = 1 / f, any = 1;
            }
            if (!any) continue;
            again = 1;
            for (int j = 0; j < SIDE; j++) A[i * SIDE + j] *= other;
            for (int j = 0; j < SIDE; j++) A[j * SIDE + i] *= factor;
        }
    }
}

/* Upper Hessenberg by reflections; lanes in which squares leave their range are no longer `sure`. */
ROUTH void hessenberg_of(lanes *A, marks *sure)
{
    for (int k = 0; k < SIDE - 2; k++) {
        lanes v[SIDE], below = ALL_LANES(0.0), sum;
        for (int i = k + 1; i < SIDE; i++) v[i] = A[i * SIDE + k];
        for (int i = k + 2; i < SIDE; i++) below += v[i] * v[i];
        const lanes first = v[k + 1];
        sum = below + first * first;
        lanes most = ALL_LANES(0.0);
        for (int i = k + 2; i < SIDE; i++) most = lanes_pick(lanes_fabs(v[i]) > most, lanes_fabs(v[i]), most);
        const marks on = most > 0;
        *sure &= ~on | (sum > SMALLEST & sum < LARGEST);
        const lanes size = with_sign_of(lanes_sqrt(lanes_pick(on & sum > 0, sum, ALL_LANES(1.0))), first);
        const lanes factor = lanes_pick(on, 1 / (sum + first * size), ALL_LANES(0.0));
        v[k + 1] = first + size;
        A[(k + 1) * SIDE + k] = lanes_pick(on, -size, first);
        for (int i = k + 2; i < SIDE; i++) A[i * SIDE + k] = ALL_LANES(0.0);
        for (int j = k + 1; j < SIDE; j++) {
            lanes dot = ALL_LANES(0.0);
            for (int i = k + 1; i < SIDE; i++) dot += v[i] * A[i * SIDE + j];
            dot *= factor;
            for (int i = k + 1; i < SIDE; i++) A[i * SIDE + j] -= dot * v[i];
        }
        for (int i = 0; i < SIDE; i++) {
            lanes dot = ALL_LANES(0.0);
            for (int j = k + 1; j < SIDE; j++) dot += A[i * SIDE + j] * v[j];
            dot *= factor;
            for (int j = k + 1; j < SIDE; j++) A[i * SIDE + j] -= dot * v[j];
        }
    }
}

/* Where the entry below the diagonal in row i is nothing beside its neighbours. */
ROUTH marks are_nothing(const lanes *H, int i)
{
    const double eps = 2.220446049250313e-16;
    const lanes under = lanes_fabs(H[i * SIDE + i - 1]), over = lanes_fabs(H[(i - 1) * SIDE + i]);
    const lanes a = H[(i - 1) * SIDE + i - 1], d = H[i * SIDE + i];
    const lanes p = lanes_fabs(d), q = lanes_fabs(a - d);
    lanes near = lanes_fabs(a) + lanes_fabs(d), beside = ALL_LANES(0.0);
    if (i >= 2) beside += lanes_fabs(H[(i - 1) * SIDE + i - 2]);
    if (i + 1 < SIDE) beside += lanes_fabs(H[(i + 1) * SIDE + i]);
    near = lanes_pick(near == 0, beside, near);
    return under < 1e-290 | (under <= eps * near & under * over <= eps * (p * q));
}

/* One double step of each lane on its rows and columns low to high, where `active`. */
ROUTH void francis_of(
    lanes *H, marks active, marks low, marks high, lanes shift_sum, lanes shift_product, int from, int to,
    marks *sure)
{
    for (int k = from; k < to; k++) {
        const marks on = active & low <= k & high > k, three = on & high > k + 1, begins = on & low == k;
        const int last = k + 3 < to ? k + 3 : to;
        const lanes a = H[k * SIDE + k], c = H[(k + 1) * SIDE + k];
        const lanes zero = ALL_LANES(0.0);
        lanes x = a * (a - shift_sum) + H[k * SIDE + k + 1] * c + shift_product;
        lanes y = c * (a + H[(k + 1) * SIDE + k + 1] - shift_sum);
        lanes z = k + 2 < SIDE ? c * H[(k + 2) * SIDE + k + 1] : zero;
        if (k > 0) {
            x = lanes_pick(begins, x, H[k * SIDE + k - 1]);
            y = lanes_pick(begins, y, H[(k + 1) * SIDE + k - 1]);
            if (k + 2 < SIDE) z = lanes_pick(begins, z, H[(k + 2) * SIDE + k - 1]);
        }
        z = lanes_pick(three, z, zero);
        const lanes square = x * x + y * y + z * z;
        const marks none = x == 0 & y == 0 & z == 0;
        *sure &= ~on | none | (square > SMALLEST & square < LARGEST);
        const marks turns = on & ~none & square > 0;
        const lanes size = with_sign_of(lanes_sqrt(lanes_pick(turns, square, ALL_LANES(1.0))), x);
        const lanes by_size = lanes_pick(turns, 1 / size, zero);
        const lanes by_sum = lanes_pick(turns, 1 / lanes_pick(turns, x + size, ALL_LANES(1.0)), zero);
        const lanes u = (x + size) * by_size, v1 = y * by_sum, v2 = z * by_sum;
        const lanes w1 = y * by_size, w2 = z * by_size;
        if (k > 0) {
            const marks goes_on = turns & ~begins;
            H[k * SIDE + k - 1] = lanes_pick(goes_on, -size, H[k * SIDE + k - 1]);
            H[(k + 1) * SIDE + k - 1] = lanes_pick(goes_on, zero, H[(k + 1) * SIDE + k - 1]);
            if (k + 2 < SIDE)
                H[(k + 2) * SIDE + k - 1] = lanes_pick(goes_on & three, zero, H[(k + 2) * SIDE + k - 1]);
        }
        for (int j = k; j <= to; j++) {
            lanes dot = H[k * SIDE + j] + v1 * H[(k + 1) * SIDE + j];
            if (k + 2 < SIDE) {
                dot += v2 * H[(k + 2) * SIDE + j];
                H[(k + 2) * SIDE + j] -= dot * w2;
            }
            H[k * SIDE + j] -= dot * u;
            H[(k + 1) * SIDE + j] -= dot * w1;
        }
        for (int i = from; i <= last; i++) {
            lanes dot = u * H[i * SIDE + k] + w1 * H[i * SIDE + k + 1];
            if (k + 2 < SIDE) {
                dot += w2 * H[i * SIDE + k + 2];
                H[i * SIDE + k + 2] -= dot * v2;
            }
            H[i * SIDE + k] -= dot;
            H[i * SIDE + k + 1] -= dot * v1;
        }
    }
}

/* The eigenvalues of the matrices A, which are spoilt, in lanes that are `sure`; where they stay so they
   were found. */
ROUTH void eigenvalues_of(lanes *A, marks *sure, double real[LANES][SIDE], double imag[LANES][SIDE])
{
    marks low = {0}, high, nothing[SIDE];
    int steps[LANES];
    for (int l = 0; l < LANES; l++) high[l] = (*sure)[l] ? SIDE - 1 : -1, steps[l] = 0;
    for (;;) {
        lanes sum = ALL_LANES(0.0), product = ALL_LANES(0.0);
        marks active = {0};
        int from = SIDE, to = -1;
        for (int i = 1; i < SIDE; i++) {
            nothing[i] = are_nothing(A, i);
            A[i * SIDE + i - 1] = lanes_pick(nothing[i], ALL_LANES(0.0), A[i * SIDE + i - 1]);
        }
        for (int l = 0; l < LANES; l++) {
            int top = high[l], begin = 0;
            if (!(*sure)[l]) top = -1;
            while (top >= 0) {
                for (begin = top; begin > 0 && !nothing[begin][l]; begin--);
                if (begin == top) {
                    real[l][top] = A[top * SIDE + top][l], imag[l][top] = 0;
                    top -= 1, steps[l] = 0;
                } else if (begin == top - 1) {
                    of_two(A[begin * SIDE + begin][l], A[begin * SIDE + top][l], A[top * SIDE + begin][l],
                           A[top * SIDE + top][l], real[l] + begin, imag[l] + begin);
                    top -= 2, steps[l] = 0;
                } else
                    break;
            }
            high[l] = top, low[l] = begin;
            if (top < 0) continue;
            if (++steps[l] > QR_STEPS) {
                (*sure)[l] = 0, high[l] = -1;
                continue;
            }
            const double a = A[(top - 1) * SIDE + top - 1][l], d = A[top * SIDE + top][l];
            const double b = A[(top - 1) * SIDE + top][l], c = A[top * SIDE + top - 1][l];
            sum[l] = a + d, product[l] = a * d - b * c;
            if (steps[l] % 10 == 0) {
                const double size = fabs(c) + fabs(A[(top - 1) * SIDE + top - 2][l]);
                sum[l] = 1.5 * size + 2 * d;
                product[l] = d * d + 1.5 * size * d + size * size;
            }
            active[l] = -1;
            if (begin < from) from = begin;
            if (top > to) to = top;
        }
        if (to < 0) return;
        francis_of(A, active, low, high, sum, product, from, to, sure);
    }
}
#endif
