/* Rows of J as P = J^T and J, those of some constraints. */
static void rows_of(const Equations *now, const int *places, int c, double *P, double *J)
{
    for (int i = 0; i < c; i++)
        for (int j = 0; j < N; j++) {
            J[i * N + j] = now->J[places[i] * N + j];
            P[j * c + i] = J[i * N + j];
        }
}

HEAD_project
{
    Equations now;
    double b[LARGEST], P[N * C], J[C * N], phi_rate[C];
    int places[C];
#if H > 0
    static const int holonomic[H] = {PLACES};
    double phi[H];
    equations_at(t, state, inputs, parameters, &now);
    NAME_held(t, state, inputs, parameters, phi, phi_rate);
    rows_of(&now, holonomic, H, P, J);
    for (int i = 0; i < N; i++) b[i] = 0.0;
    for (int i = 0; i < H; i++) b[N + i] = -phi[i];
    if (solve(H, now.M, P, J, b, 1)) return 1;
    for (int i = 0; i < N; i++) state[i] += b[i];
    NAME_held(t, state, inputs, parameters, phi, phi_rate);
#else
    NAME_held(t, state, inputs, parameters, phi_rate);
#endif
    equations_at(t, state, inputs, parameters, &now);
    for (int i = 0; i < C; i++) places[i] = i;
    rows_of(&now, places, C, P, J);
    for (int i = 0; i < N; i++) b[i] = 0.0;
    for (int i = 0; i < C; i++) b[N + i] = -phi_rate[i];
    if (solve(C, now.M, P, J, b, 1)) return 1;
    for (int i = 0; i < N; i++) state[N + i] += b[i];
    return 0;
}
