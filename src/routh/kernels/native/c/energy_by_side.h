/* What energy decides of several points side by side where M, K and what damping there is are positive
   definite beyond doubt: as `structure.h` does. All others are left to it. */
#if LANES > 1

/* Where a symmetric matrix is positive definite whatever its entries are within DOUBT times bounds E. */
ROUTH marks are_definite(const lanes *X, const lanes *E)
{
    lanes unit[C_ * C_], L[C_ * C_], scale[C_], largest = ALL_LANES(0.0), sum = ALL_LANES(0.0);
    marks sure = X[0] == X[0];
    for (int i = 0; i < C_; i++) {
        const lanes d = X[i * C_ + i];
        sure &= d > 0 & d >= E[i * C_ + i] * DOUBT;
        scale[i] = 1 / lanes_sqrt(lanes_pick(d > 0, d, ALL_LANES(1.0)));
    }
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < C_; j++) {
            const int k = i * C_ + j;
            const lanes size = lanes_fabs(X[k]), by = scale[i] * scale[j], bound = E[k] * by;
            sure &= size <= E[k] / DOUBT | size >= E[k] * DOUBT;
            unit[k] = lanes_pick(size <= E[k], ALL_LANES(0.0), X[k] * by);
            largest = larger_of(largest, lanes_fabs(unit[k]));
            sum += bound * bound;
        }
    const lanes most = COMPONENT * C_ * largest + lanes_sqrt(sum);
    for (int i = 0; i < C_; i++) unit[i * C_ + i] -= 2 * DOUBT * most;
    return sure & cholesky_of(C_, unit, L, 0);
}

/* Eigenvalues on the diagonal of symmetric matrices A, and vectors in the columns of U, by Jacobi's
   rotations; where they came to an end. */
ROUTH marks jacobi_of(lanes *A, lanes *U)
{
    marks going = {0};
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < C_; j++) U[i * C_ + j] = ALL_LANES(i == j ? 1.0 : 0.0);
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
        int any = 0;
        going = (marks){0};
        for (int p = 0; p < C_ - 1; p++)
            for (int q = p + 1; q < C_; q++) {
                const lanes off = A[p * C_ + q], a = A[p * C_ + p], b = A[q * C_ + q];
                const marks on = off * off > 1e-33 * lanes_fabs(a * b)
                    | lanes_fabs(off) > 1e-17 * (lanes_fabs(a) + lanes_fabs(b));
                going |= on;
                const lanes theta = (b - a) / (2 * lanes_pick(on, off, ALL_LANES(1.0)));
                const lanes root = lanes_sqrt(theta * theta + 1);
                const lanes t = lanes_pick(on, lanes_pick(theta < 0, ALL_LANES(-1.0), ALL_LANES(1.0)) / (lanes_fabs(theta) + root), ALL_LANES(0.0));
                const lanes c = 1 / lanes_sqrt(t * t + 1), s = t * c;
                A[p * C_ + p] = a - t * off;
                A[q * C_ + q] = b + t * off;
                A[p * C_ + q] = A[q * C_ + p] = ALL_LANES(0.0);
                for (int k = 0; k < C_; k++) {
                    if (k != p && k != q) {
                        const lanes x = A[k * C_ + p], y = A[k * C_ + q];
                        A[k * C_ + p] = A[p * C_ + k] = c * x - s * y;
                        A[k * C_ + q] = A[q * C_ + k] = s * x + c * y;
                    }
                    const lanes x = U[k * C_ + p], y = U[k * C_ + q];
                    U[k * C_ + p] = c * x - s * y;
                    U[k * C_ + q] = s * x + c * y;
                }
            }
        for (int l = 0; l < LANES; l++) any |= going[l] != 0;
        if (!any) break;
    }
    return ~going;
}

/* The least w2 of K x = w2 M x and its bound; where it is not soft beside the largest. */
ROUTH marks least_curvatures(
    const lanes *M, const lanes *K, const lanes *E, lanes *least, lanes *blur)
{
    lanes L[C_ * C_], A[C_ * C_], U[C_ * C_], x[C_], largest = ALL_LANES(0.0);
    marks sure = cholesky_of(C_, M, L, 0);
    reduced_of(C_, L, K, A, C_);
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < i; j++) A[i * C_ + j] = A[j * C_ + i] = (A[i * C_ + j] + A[j * C_ + i]) / 2;
    for (int k = 0; k < C_ * C_; k++) A[k] = lanes_pick(sure, A[k], ALL_LANES(0.0));
    sure &= jacobi_of(A, U);
    *least = A[0];
    for (int i = 0; i < C_; i++) x[i] = U[i * C_];
    for (int m = 0; m < C_; m++) {
        const lanes value = A[m * C_ + m];
        const marks less = value < *least;
        *least = lanes_pick(less, value, *least);
        largest = larger_of(largest, lanes_fabs(value));
        for (int i = 0; i < C_; i++) x[i] = lanes_pick(less, U[i * C_ + m], x[i]);
    }
    for (int i = C_ - 1; i >= 0; i--) {
        for (int k = i + 1; k < C_; k++) x[i] -= L[k * C_ + i] * x[k];
        x[i] /= L[i * C_ + i];
    }
    *blur = ALL_LANES(0.0);
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < C_; j++) *blur += lanes_fabs(x[i]) * E[i * C_ + j] * lanes_fabs(x[j]);
    return sure & lanes_fabs(*least) > SOFT * largest;
}

/* Where there is a minimum for sure, 1 each, or 2 with complete damping; 0 for all others. X are M, D, G,
   K and H, `noise` bounds how the last bits of all values move M, C and K. */
ROUTH marks minima(const lanes X[5][C_ * C_], const lanes noise[3][C_ * C_], lanes *least, lanes *blur)
{
    lanes E[C_ * C_];
    marks held = {0}, damped = {0};
    for (int k = 0; k < C_ * C_; k++) held |= X[4][k] != 0, damped |= X[1][k] != 0;
    held = ~held;
    for (int k = 0; k < C_ * C_; k++) E[k] = COMPONENT * lanes_fabs(X[0][k]) + NOISE * noise[0][k];
    held &= are_definite(X[0], E);
    for (int k = 0; k < C_ * C_; k++)
        E[k] = COMPONENT * lanes_fabs(X[1][k] + X[2][k]) + NOISE * noise[1][k];
    held &= ~damped | are_definite(X[1], E);
    for (int k = 0; k < C_ * C_; k++) E[k] = COMPONENT * lanes_fabs(X[3][k]) + NOISE * noise[2][k];
    held &= are_definite(X[3], E);
    held &= least_curvatures(X[0], X[3], E, least, blur);
    return held & (1 - damped);
}
#endif
