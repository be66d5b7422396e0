/* Small dense matrices, row by row: LU with row pivots (Golub and Van Loan 2013, algorithm 3.4.1) and
   Cholesky's factors (4.2.1). */

/* A becomes L and U; order[k] is the row that came to place k at step k. Whether no pivot was zero. */
ROUTH int lu_factors(int n, double *A, int *order)
{
    int regular = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        order[k] = best;
        if (best != k)
            for (int j = 0; j < n; j++) {
                const double other = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = other;
            }
        if (!(fabs(A[k * n + k]) > 0)) {
            regular = 0;
            continue;
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return regular;
}

/* B, of so many columns, becomes the solution X of A X = B. */
ROUTH void lu_solve(int n, const double *LU, const int *order, int columns, double *B)
{
    for (int k = 0; k < n; k++)
        for (int j = 0; j < columns && order[k] != k; j++) {
            const double other = B[k * columns + j];
            B[k * columns + j] = B[order[k] * columns + j];
            B[order[k] * columns + j] = other;
        }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = 0; j < columns; j++) B[i * columns + j] -= LU[i * n + k] * B[k * columns + j];
    for (int k = n - 1; k >= 0; k--)
        for (int j = 0; j < columns; j++) {
            double sum = B[k * columns + j];
            for (int i = k + 1; i < n; i++) sum -= LU[k * n + i] * B[i * columns + j];
            B[k * columns + j] = sum / LU[k * n + k];
        }
}

/* The lower triangle of L with A = L L^T, zeros above it. Whether A is positive definite. */
ROUTH int cholesky(int n, const double *A, double *L)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > 0)) return 0;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
        for (int j = i + 1; j < n; j++) L[i * n + j] = 0;
    }
    return 1;
}

/* b becomes L^-1 b. */
ROUTH void forward(int n, const double *L, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= L[i * n + k] * b[k];
        b[i] /= L[i * n + i];
    }
}

/* b becomes L^-T b. */
ROUTH void backward(int n, const double *L, double *b)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= L[k * n + i] * b[k];
        b[i] /= L[i * n + i];
    }
}
