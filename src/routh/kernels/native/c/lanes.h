/* Several points side by side, one in each lane of the processor's vectors. What a lane is not to do it
   does with zeros, so that no point knows of the others. GPUs do without. */
#ifndef __CUDACC__

#define LANES 8

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long marks __attribute__((vector_size(8 * LANES))); /* -1 yes, 0 no */

#define ALL(x) ((lanes){0} + (x))

ROUTH lanes where(marks which, lanes yes, lanes no)
{
    return (lanes)((which & (marks)yes) | (~which & (marks)no));
}

ROUTH lanes sizes_of(lanes x) { return (lanes)((marks)x & 0x7fffffffffffffffLL); }

ROUTH lanes roots_of(lanes x)
{
    lanes root;
    for (int l = 0; l < LANES; l++) root[l] = sqrt(x[l]);
    return root;
}

ROUTH lanes with_sign_of(lanes size, lanes x) { return where(x < 0, -size, size); }

ROUTH lanes larger_of(lanes x, lanes y) { return where(x > y, x, y); }

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
            L[i * n + i] = roots_of(where(sum > 0, sum, ALL(1.0)));
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
