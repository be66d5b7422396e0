/* All eigenvalues of M s^2 + C s + K where M is definite for sure, in the order in which modes are
   listed. What takes a closer look, as zeros, soft motions beside stiff ones and roots that meet, is
   left to it. HALF is the number of coordinates, SIDE twice that. */

#define SURE_PIVOT 0.03
#define RANK_LEVEL 3.7e-11 /* ten times what counts as singular */
#define SPREAD 1.01e-3
#define WIDE 0.99e-3 /* between these two it is not sure which way is meant */
#define WIDEST 1e-10 /* below it the middle of the range has lost too many digits in both sets */
#define APART 1.1
#define ROUNDING 1e-14
#define MEETING 1e-6
#define ALIKE 1e-10

/* Whether a symmetric matrix is positive definite beyond doubt, units taken out. */
ROUTH int surely_definite(int n, const double *M)
{
    double size[HALF], unit[HALF * HALF], L[HALF * HALF], values[HALF];
    int sure = 1;
    for (int i = 0; i < n; i++) {
        if (!(M[i * n + i] > 0)) return 0;
        size[i] = sqrt(M[i * n + i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) unit[i * n + j] = M[i * n + j] / (size[i] * size[j]);
    if (!cholesky(n, unit, L)) return 0;
    for (int i = 0; i < n; i++) sure &= L[i * n + i] > SURE_PIVOT;
    if (sure) return 1;
    return symmetric_eigen(n, unit, values, 0) && values[0] > RANK_LEVEL;
}

/* Eigenvalues in pairs: real ones first, the largest with the smallest, then complex ones by rising
   frequency, and by rising real part where frequencies are alike, each before its conjugate. */
ROUTH void in_pairs(int n, double *real, double *imag)
{
    double r[SIDE], upper[SIDE], w[SIDE];
    int reals = 0, others = 0, place = 0;
    for (int k = 0; k < n; k++) {
        const double x = real[k], y = imag[k];
        if (y < 0) continue;
        if (y == 0) {
            int i = reals++;
            for (; i > 0 && r[i - 1] > x; i--) r[i] = r[i - 1];
            r[i] = x;
        } else {
            int i = others++;
            for (; i > 0 && w[i - 1] > y; i--) w[i] = w[i - 1], upper[i] = upper[i - 1];
            w[i] = y, upper[i] = x;
        }
    }
    for (int last = 1; last < others; last++)
        for (int i = last; i > 0 && w[i] - w[i - 1] <= ALIKE * w[others - 1]; i--) {
            if (!(upper[i - 1] > upper[i])) break;
            const double x = upper[i], y = w[i];
            upper[i] = upper[i - 1], w[i] = w[i - 1];
            upper[i - 1] = x, w[i - 1] = y;
        }
    for (int i = 0; i < reals / 2; i++) {
        real[place] = r[reals - 1 - i], imag[place++] = 0;
        real[place] = r[i], imag[place++] = 0;
    }
    for (int i = 0; i < others; i++) {
        real[place] = upper[i], imag[place++] = w[i];
        real[place] = upper[i], imag[place++] = -w[i];
    }
}

/* Without C and with symmetric K: exactly on the axes. */
ROUTH int conservative(int n, const double *M, const double *K, double *real, double *imag)
{
    double L[HALF * HALF], A[HALF * HALF], w2[HALF], least = INFINITY, most = 0;
    if (!cholesky(n, M, L)) return 0;
    reduced(n, L, K, A);
    if (!symmetric_eigen(n, A, w2, 0)) return 0;
    for (int k = 0; k < n; k++) {
        least = fmin(least, fabs(w2[k]));
        most = fmax(most, fabs(w2[k]));
        const double root = sqrt(fabs(w2[k]));
        real[2 * k] = w2[k] < 0 ? root : 0;
        imag[2 * k] = w2[k] < 0 ? 0 : root;
        real[2 * k + 1] = w2[k] < 0 ? -root : 0;
        imag[2 * k + 1] = w2[k] < 0 ? 0 : -root;
    }
    return least > SPREAD * SPREAD * most;
}

/* Put eigenvalues in pairs; whether none is small beside the largest and none meet. */
ROUTH int stand_apart(int m, double *real, double *imag)
{
    double least = INFINITY, most = 0, nearest = INFINITY;
    in_pairs(m, real, imag);
    for (int i = 0; i < m; i++) {
        const double size = real[i] * real[i] + imag[i] * imag[i];
        least = fmin(least, size);
        most = fmax(most, size);
        for (int j = 0; j < i; j++) {
            const double x = real[i] - real[j], y = imag[i] - imag[j];
            nearest = fmin(nearest, x * x + y * y);
        }
    }
    return least > SPREAD * SPREAD * most && nearest > MEETING * MEETING * most;
}

/* Those of the companion matrix, as they come. */
ROUTH int of_companion(
    int n, const double *M, const double *C, const double *K, double *real, double *imag)
{
    const int m = 2 * n;
    double LU[HALF * HALF], right[HALF * SIDE], A[SIDE * SIDE];
    int order[HALF];
    for (int k = 0; k < n * n; k++) LU[k] = M[k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            right[i * m + j] = K[i * n + j];
            right[i * m + n + j] = C[i * n + j];
            A[i * m + j] = 0;
            A[i * m + n + j] = i == j;
        }
    if (!lu_factors(n, LU, order)) return 0;
    lu_solve(n, LU, order, m, right);
    for (int k = 0; k < n * m; k++) A[n * m + k] = -right[k];
    return eigenvalues(m, A, real, imag);
}

/* Whether a matrix has full rank beyond doubt, rows and columns scaled to unit size: its least singular
   value is not below |det X| ((n - 1) / |X|^2)^((n - 1) / 2), |X| being Frobenius' norm (Yu and Gu 1997). */
ROUTH int surely_regular(int n, const double *K)
{
    double X[HALF * HALF], square = 0, least = 1;
    int order[HALF];
    for (int i = 0; i < n; i++) {
        double row = 0;
        for (int j = 0; j < n; j++) row = fmax(row, fabs(K[i * n + j]));
        if (!(row > 0)) return 0;
        for (int j = 0; j < n; j++) {
            X[i * n + j] = K[i * n + j] / row;
            if (fabs(X[i * n + j]) < ROUNDING) X[i * n + j] = 0;
        }
    }
    for (int j = 0; j < n; j++) {
        double column = 0;
        for (int i = 0; i < n; i++) column = fmax(column, fabs(X[i * n + j]));
        if (!(column > 1e4 * ROUNDING)) return 0;
        for (int i = 0; i < n; i++) {
            X[i * n + j] /= column;
            square += X[i * n + j] * X[i * n + j];
        }
    }
    if (!lu_factors(n, X, order)) return 0;
    for (int i = 0; i < n; i++) least *= fabs(X[i * n + i]);
    for (int i = 1; i < n; i++) least *= sqrt((n - 1) / square);
    return least > RANK_LEVEL;
}

/* Sort by size. */
ROUTH void by_size(int m, double *real, double *imag, double *size)
{
    for (int k = 0; k < m; k++) {
        const double x = real[k], y = imag[k], length = sqrt(x * x + y * y);
        int i = k;
        for (; i > 0 && size[i - 1] > length; i--)
            real[i] = real[i - 1], imag[i] = imag[i - 1], size[i] = size[i - 1];
        real[i] = x, imag[i] = y, size[i] = length;
    }
}

/* The small half of the eigenvalues from `K + C / s + M / s^2`, where it is large, cut in a gap that both
   sets show, next to the middle of the range. Whether that is plain, and none meet. */
ROUTH int repaired(int n, const double *M, const double *C, const double *K, double *real, double *imag)
{
    const int m = 2 * n;
    double x[SIDE], y[SIDE], size[SIDE], other[SIDE], nearest = INFINITY;
    int cut = 0;
    if (!surely_regular(n, K) || !of_companion(n, K, C, M, x, y)) return 0;
    for (int k = 0; k < m; k++) {
        const double square = x[k] * x[k] + y[k] * y[k];
        if (!(square > 0)) return 0;
        x[k] /= square, y[k] /= -square;
    }
    by_size(m, real, imag, size);
    by_size(m, x, y, other);
    const double middle = sqrt(size[m - 1] * other[0]);
    if (!(size[m - 1] < INFINITY && middle > 0)) return 0;
    for (int k = 1; k < m; k++) {
        if (!(size[k] > APART * size[k - 1] && other[k] > APART * other[k - 1])) continue;
        if (!(size[k] > APART * other[k - 1])) continue;
        const double far = fabs(log(sqrt(size[k] * other[k - 1]) / middle));
        if (far < nearest) nearest = far, cut = k;
    }
    if (!cut) return 0;
    for (int k = 0; k < cut; k++) real[k] = x[k], imag[k] = y[k], size[k] = other[k];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) {
            const double far = hypot(real[i] - real[j], imag[i] - imag[j]);
            if (!(far > MEETING * fmax(size[i], size[j]))) return 0;
        }
    in_pairs(m, real, imag);
    return 1;
}

/* By the companion matrix. */
ROUTH int damped_or_turning(
    int n, const double *M, const double *C, const double *K, double *real, double *imag)
{
    const int m = 2 * n;
    double least = INFINITY, most = 0;
    if (!of_companion(n, M, C, K, real, imag)) return 0;
    for (int i = 0; i < m; i++) {
        const double size = hypot(real[i], imag[i]);
        least = fmin(least, size);
        most = fmax(most, size);
    }
    if (least < WIDE * most && least > WIDEST * most) return repaired(n, M, C, K, real, imag);
    return surely_regular(n, K) && stand_apart(m, real, imag); /* multiple zeros scatter as one size */
}

/* Whether all eigenvalues were found, 2 n of them. */
ROUTH int spectrum(int n, const double *M, const double *C, const double *K, double *real, double *imag)
{
    int quiet = 1;
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            sum += M[i * n + j] + C[i * n + j] + K[i * n + j];
            quiet &= C[i * n + j] == 0 && K[i * n + j] == K[j * n + i];
        }
    if (!isfinite(sum) || !surely_definite(n, M)) return 0;
    if (quiet) return conservative(n, M, K, real, imag);
    return damped_or_turning(n, M, C, K, real, imag);
}
