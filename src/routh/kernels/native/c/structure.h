/* What the matrices of a linear model are, judged in units of their own and against bounds of their own
   rounding, as `analysis/stability/facts` does: here where nothing is near such a bound. COORDINATES is
   their number. */

#define EPS 2.220446049250313e-16
#define COMPONENT (16 * EPS)
#define NOISE 32.0
#define DOUBT 4.0 /* so many times a bound, or a share of it, leaves no doubt */
#define SOFT 1.01e-6
#define C_ COORDINATES

ROUTH int any(const double *X)
{
    for (int k = 0; k < C_ * C_; k++)
        if (X[k] != 0) return 1;
    return 0;
}

/* How many eigenvalues of a symmetric matrix are negative, and how many zero, to the bounds E of its
   entries; 0 where something is near them. */
ROUTH int signs(const double *X, const double *E, int *negative, int *zero)
{
    double scaled[C_ * C_], unit[C_ * C_], U[C_ * C_], root[C_ * C_];
    double values[C_], scale[C_], largest = 0;
    int used[C_];
    *negative = *zero = 0;
    for (int i = 0; i < C_; i++) {
        used[i] = 0;
        for (int j = 0; j < C_; j++) {
            const int k = i * C_ + j;
            const double size = fabs(X[k]);
            if (!(size <= E[k] / DOUBT) && !(size >= E[k] * DOUBT)) return 0;
            scaled[k] = size <= E[k] ? 0 : X[k];
            used[i] |= scaled[k] != 0;
        }
        if (used[i] && scaled[i * C_ + i] == 0) return 0;
        scale[i] = used[i] ? 1 / sqrt(fabs(scaled[i * C_ + i])) : 1;
        *zero += !used[i];
    }
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < C_; j++) {
            const int k = i * C_ + j;
            scaled[k] = scaled[k] * scale[i] * scale[j];
            unit[k] = used[i] && used[j] ? E[k] * scale[i] * scale[j] : 0;
            largest = fmax(largest, fabs(scaled[k]));
        }
    double sum = 0, most = COMPONENT * C_ * largest;
    for (int k = 0; k < C_ * C_; k++) sum += unit[k] * unit[k], U[k] = scaled[k];
    most += sqrt(sum); /* no bound below is larger */
    for (int i = 0; i < C_; i++) {
        U[i * C_ + i] -= 2 * DOUBT * most;
        if (!used[i]) scaled[i * C_ + i] += 2.0 * C_;
    }
    if (!*zero && cholesky(C_, U, root)) return 1; /* all above it */
    if (!symmetric_eigen(C_, scaled, values, U)) return 0;
    for (int m = 0; m < C_; m++) {
        double bound = COMPONENT * C_ * largest;
        for (int i = 0; i < C_; i++)
            for (int j = 0; j < C_; j++)
                bound += fabs(U[i * C_ + m]) * unit[i * C_ + j] * fabs(U[j * C_ + m]);
        const double size = fabs(values[m]);
        if (!(size <= bound / DOUBT) && !(size >= bound * DOUBT)) return 0;
        *zero += size <= bound;
        *negative += values[m] < -bound;
    }
    return 1;
}

/* How far from where it is an equilibrium may be: what is left of its equations, and the rounding of what
   is added up in them, over the slopes K. Infinite where these are singular. */
ROUTH void position_bounds(const double *K, const double *left, const double *added, double *reach)
{
    double A[C_ * C_], inverse[C_ * C_];
    int order[C_];
    for (int k = 0; k < C_ * C_; k++) {
        A[k] = K[k];
        inverse[k] = k % (C_ + 1) ? 0 : 1;
    }
    const int regular = lu_factors(C_, A, order);
    if (regular) lu_solve(C_, A, order, C_, inverse);
    for (int i = 0; i < C_; i++) {
        reach[i] = regular ? 0 : INFINITY;
        for (int j = 0; j < C_ && regular; j++)
            reach[i] += fabs(inverse[i * C_ + j]) * (fabs(left[j]) + COMPONENT * added[j]);
    }
}

/* The least w2 of K x = w2 M x, and its bound; 0 where it is soft beside the largest. */
ROUTH int least_curvature(const double *M, const double *K, const double *E, double *least, double *blur)
{
    double L[C_ * C_], A[C_ * C_], U[C_ * C_], w2[C_], x[C_], largest = 0;
    if (!cholesky(C_, M, L)) return 0;
    reduced(C_, L, K, A);
    if (!symmetric_eigen(C_, A, w2, U)) return 0;
    for (int i = 0; i < C_; i++) {
        x[i] = U[i * C_];
        largest = fmax(largest, fabs(w2[i]));
    }
    if (!(fabs(w2[0]) > SOFT * largest)) return 0;
    backward(C_, L, x);
    *least = w2[0];
    *blur = 0;
    for (int i = 0; i < C_; i++)
        for (int j = 0; j < C_; j++) *blur += fabs(x[i]) * E[i * C_ + j] * fabs(x[j]);
    return 1;
}

/* What energy decides: 0 nothing for sure, 1 a minimum, 2 one with complete damping, 3 none and nothing
   else, 4 none with complete damping. `noise` bounds how the last bits of all values move M, C and K. */
ROUTH int by_energy(
    const double *M, const double *D, const double *G, const double *K, const double *H,
    double noise[3][C_ * C_], int *falls, double *least, double *blur)
{
    int negative, zero, flat, complete = 0;
    double E[C_ * C_];
    if (any(H)) return 0;
    for (int k = 0; k < C_ * C_; k++) E[k] = COMPONENT * fabs(M[k]) + NOISE * noise[0][k];
    if (!signs(M, E, &negative, &zero) || negative || zero) return 0;
    const int damped = any(D);
    if (damped) {
        for (int k = 0; k < C_ * C_; k++) E[k] = COMPONENT * fabs(D[k] + G[k]) + NOISE * noise[1][k];
        if (!signs(D, E, &negative, &zero) || negative || zero) return 0;
        complete = 1;
    }
    for (int k = 0; k < C_ * C_; k++) E[k] = COMPONENT * fabs(K[k]) + NOISE * noise[2][k];
    if (!signs(K, E, falls, &flat) || !least_curvature(M, K, E, least, blur)) return 0;
    if (!*falls) return flat ? 0 : complete ? 2 : 1;
    return complete ? 4 : any(G) ? 0 : 3;
}
