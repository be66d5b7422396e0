/* Linear algebra of several points side by side. What a lane is not to do it does with zeros, so that no
   point knows of the others. GPUs do without. */
#if LANES > 1
ROUTH lanes with_sign_of(lanes size, lanes x) { return lanes_pick(x < 0, -size, size); }

ROUTH lanes larger_of(lanes x, lanes y) { return lanes_pick(x > y, x, y); }

/* L with A = L L^T, and where each pivot is above a share of its diagonal. */
ROUTH marks cholesky_of(int n, const lanes *A, lanes *L, double share)
{
    marks sure = A[0] == A[0];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            lanes sum = A[i * n + j];
            for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            if (i > j) {
                L[i * n + j] = sum / L[j * n + j];
                continue;
            }
            sure &= sum > share * A[i * n + i] & A[i * n + i] > 0;
            L[i * n + i] = lanes_sqrt(lanes_pick(sum > 0, sum, ALL_LANES(1.0)));
        }
    return sure;
}

/* L^-1 X L^-T into A, whose rows are so long. */
ROUTH void reduced_of(int n, const lanes *L, const lanes *X, lanes *A, int length)
{
    lanes y[16];
    for (int j = 0; j < n; j++) { /* columns of L^-1 X */
        for (int i = 0; i < n; i++) {
            lanes sum = X[i * n + j];
            for (int k = 0; k < i; k++) sum -= L[i * n + k] * y[k];
            y[i] = sum / L[i * n + i];
        }
        for (int i = 0; i < n; i++) A[i * length + j] = y[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            lanes sum = A[i * length + j];
            for (int k = 0; k < j; k++) sum -= L[j * n + k] * A[i * length + k];
            A[i * length + j] = sum / L[j * n + j];
        }
}
#endif
