/* Eigenvalues of small symmetric matrices by Jacobi's rotations, row by row (Golub and Van Loan 2013,
   section 8.5), and of K x = w2 M x. */

#define JACOBI_SWEEPS 30

/* `values` ascending; A is spoilt. The columns of U are unit vectors, where U is not null. Whether the
   rotations came to an end. */
ROUTH int symmetric_eigen(int n, double *A, double *values, double *U)
{
    int done = 0;
    if (U)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) U[i * n + j] = i == j;
    for (int sweep = 0; sweep < JACOBI_SWEEPS && !done; sweep++) {
        done = 1;
        for (int p = 0; p < n - 1; p++)
            for (int q = p + 1; q < n; q++) {
                const double off = A[p * n + q], a = A[p * n + p], b = A[q * n + q];
                if (!(off * off > 1e-33 * fabs(a * b)) && !(fabs(off) > 1e-17 * (fabs(a) + fabs(b)))) {
                    A[p * n + q] = A[q * n + p] = 0;
                    continue;
                }
                done = 0;
                const double theta = (b - a) / (2 * off);
                const double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                A[p * n + p] = a - t * off;
                A[q * n + q] = b + t * off;
                A[p * n + q] = A[q * n + p] = 0;
                for (int k = 0; k < n; k++) {
                    if (k != p && k != q) {
                        const double x = A[k * n + p], y = A[k * n + q];
                        A[k * n + p] = A[p * n + k] = c * x - s * y;
                        A[k * n + q] = A[q * n + k] = s * x + c * y;
                    }
                    if (U) {
                        const double x = U[k * n + p], y = U[k * n + q];
                        U[k * n + p] = c * x - s * y;
                        U[k * n + q] = s * x + c * y;
                    }
                }
            }
    }
    for (int k = 0; k < n; k++) values[k] = A[k * n + k];
    for (int k = 0; k < n - 1; k++) {
        int least = k;
        for (int i = k + 1; i < n; i++)
            if (values[i] < values[least]) least = i;
        if (least == k) continue;
        const double value = values[k];
        values[k] = values[least];
        values[least] = value;
        if (U)
            for (int i = 0; i < n; i++) {
                const double other = U[i * n + k];
                U[i * n + k] = U[i * n + least];
                U[i * n + least] = other;
            }
    }
    return done;
}

/* L^-1 K L^-T, symmetric, into A. */
ROUTH void reduced(int n, const double *L, const double *K, double *A)
{
    for (int j = 0; j < n; j++) { /* rows of A: those of (L^-1 K)^T */
        for (int i = 0; i < n; i++) A[j * n + i] = K[i * n + j];
        forward(n, L, A + j * n);
    }
    for (int j = 0; j < n; j++) { /* columns of it */
        for (int i = 0; i < n; i++) {
            double sum = A[i * n + j];
            for (int k = 0; k < i; k++) sum -= L[i * n + k] * A[k * n + j];
            A[i * n + j] = sum / L[i * n + i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}
