/* K y = b for so many columns of b, where K = [[M, P], [J, 0]] has c rows of J: by Gauss's elimination
   with exchange of rows, after scaling by masses and slopes. 1 where K is singular to rounding. */
static int solve(int c, const double *M, const double *P, const double *J, double *b, int columns)
{
    double K[LARGEST * LARGEST], scale[LARGEST];
    const int size = N + c;
    for (int i = 0; i < N; i++) {
        const double mass = fabs(M[i * N + i]);
        scale[i] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
    }
    for (int i = 0; i < c; i++) {
        double steep = 0.0;
        for (int j = 0; j < N; j++) {
            const double entry = J[i * N + j] * scale[j];
            steep += entry * entry;
        }
        scale[N + i] = steep > 0.0 ? 1.0 / sqrt(steep) : 1.0;
    }
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            double entry = 0.0;
            if (i < N && j < N) entry = M[i * N + j];
            else if (i < N) entry = P[i * c + j - N];
            else if (j < N) entry = J[(i - N) * N + j];
            K[i * size + j] = scale[i] * entry * scale[j];
        }
        for (int j = 0; j < columns; j++) b[i * columns + j] *= scale[i];
    }
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(K[i * size + k]) > fabs(K[best * size + k])) best = i;
        if (!(fabs(K[best * size + k]) > SINGULAR)) return 1;
        if (best != k) {
            for (int j = 0; j < size; j++) {
                const double kept = K[k * size + j];
                K[k * size + j] = K[best * size + j];
                K[best * size + j] = kept;
            }
            for (int j = 0; j < columns; j++) {
                const double kept = b[k * columns + j];
                b[k * columns + j] = b[best * columns + j];
                b[best * columns + j] = kept;
            }
        }
        for (int i = k + 1; i < size; i++) {
            const double share = K[i * size + k] / K[k * size + k];
            for (int j = k + 1; j < size; j++) K[i * size + j] -= share * K[k * size + j];
            for (int j = 0; j < columns; j++) b[i * columns + j] -= share * b[k * columns + j];
        }
    }
    for (int j = 0; j < columns; j++)
        for (int i = size - 1; i >= 0; i--) {
            double rest = b[i * columns + j];
            for (int k = i + 1; k < size; k++) rest -= K[i * size + k] * b[k * columns + j];
            b[i * columns + j] = rest / K[i * size + i];
        }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < columns; j++) {
            b[i * columns + j] *= scale[i];
            if (!isfinite(b[i * columns + j])) return 1;
        }
    return 0;
}

typedef struct {
    double M[N * N], f[N];
#if C > 0
    double P[N * C], J[C * N], gamma[C];
#endif
} Equations;

static void equations_at(double t, const double *state, const double *inputs, const double *parameters,
                         Equations *now)
{
#if C > 0
    NAME_matrices(t, state, inputs, parameters, now->M, now->f, now->P, now->J, now->gamma);
#else
    NAME_matrices(t, state, inputs, parameters, now->M, now->f);
#endif
}

static int solve_with(const Equations *now, double *b, int columns)
{
#if C > 0
    return solve(C, now->M, now->P, now->J, b, columns);
#else
    return solve(0, now->M, 0, 0, b, columns);
#endif
}

/* The accelerations and multipliers, one after the other. */
static int solve_motion(const Equations *now, double *solved)
{
    for (int i = 0; i < N; i++) solved[i] = now->f[i];
#if C > 0
    for (int i = 0; i < C; i++) solved[N + i] = -now->gamma[i];
#endif
    return solve_with(now, solved, 1);
}

HEAD_solved
{
    Equations now;
    double solved[LARGEST];
    equations_at(t, state, inputs, parameters, &now);
    if (solve_motion(&now, solved)) return 1;
    for (int i = 0; i < N; i++) a_out[i] = solved[i];
#if C > 0
    for (int i = 0; i < C; i++) multipliers_out[i] = solved[N + i];
#endif
    return 0;
}

HEAD_rate
{
    Equations now;
    double solved[LARGEST];
    equations_at(t, state, inputs, parameters, &now);
    if (solve_motion(&now, solved)) return 1;
    for (int i = 0; i < N; i++) {
        rate_out[i] = state[N + i];
        rate_out[N + i] = solved[i];
    }
    return 0;
}

HEAD_linear
{
    Equations now;
    double solved[LARGEST], by_x[LARGEST * 2 * N], b[LARGEST * (2 * N + U)];
    const int columns = 2 * N + U;
    equations_at(t, state, inputs, parameters, &now);
    if (solve_motion(&now, solved)) return 1;
#if U > 0
    double by_u[LARGEST * U];
    slopes_written(t, state, inputs, parameters, solved, by_x, by_u);
    for (int i = 0; i < LARGEST; i++)
        for (int j = 0; j < U; j++) b[i * columns + 2 * N + j] = -by_u[i * U + j];
#else
    slopes_written(t, state, inputs, parameters, solved, by_x);
#endif
    for (int i = 0; i < LARGEST; i++)
        for (int j = 0; j < 2 * N; j++) b[i * columns + j] = -by_x[i * 2 * N + j];
    if (solve_with(&now, b, columns)) return 1;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 2 * N; j++) {
            A_out[i * 2 * N + j] = j == N + i ? 1.0 : 0.0;
            A_out[(N + i) * 2 * N + j] = b[i * columns + j];
        }
#if U > 0
        for (int j = 0; j < U; j++) {
            B_out[i * U + j] = 0.0;
            B_out[(N + i) * U + j] = b[i * columns + 2 * N + j];
        }
#endif
    }
    return 0;
}
