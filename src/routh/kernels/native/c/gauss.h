/* Linear equations x' = A(t) x by collocation at four Gauss points, of order eight.

   N, the coordinates, stands before it; D = 2 N are the unknowns. Matrices lie row by row.

   A core takes LANES points abreast, in the lanes of its vectors; what a lane does is what it would do
   alone. */
#define D (2 * N)
#define STAGES 4
#define SPAN (STAGES * D)
#define STRAIN (2.0 * SPAN + 64.0)
ROUTH_CONSTANT double gauss_nodes[STAGES] = {0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970262};
ROUTH_CONSTANT double gauss_weights[STAGES] = {0.17392742256872679, 0.3260725774312732, 0.3260725774312732, 0.17392742256872679};
ROUTH_CONSTANT double gauss_matrix[STAGES][STAGES] = {
    {0.08696371128436348, -0.026604180084998794, 0.012627462689404718, -0.003555149685795679},
    {0.188118117499868, 0.16303628871563652, -0.02788042860247092, 0.0067355005945381454},
    {0.16719192197418825, 0.3539530060337445, 0.16303628871563594, -0.014190694931141062},
    {0.17748257225452174, 0.31344511474187026, 0.35267675751626987, 0.08696371128436377}};

/* B becomes W^-1 B by elimination with the largest pivots; W is lost. */
ROUTH void gauss_solve(double W[SPAN][SPAN], double B[SPAN][D])
{
    for (int k = 0; k < SPAN; k++) {
        int best = k;
        for (int i = k + 1; i < SPAN; i++)
            if (fabs(W[i][k]) > fabs(W[best][k])) best = i;
        if (best != k) {
            for (int j = k; j < SPAN; j++) {
                const double kept = W[k][j];
                W[k][j] = W[best][j];
                W[best][j] = kept;
            }
            for (int j = 0; j < D; j++) {
                const double kept = B[k][j];
                B[k][j] = B[best][j];
                B[best][j] = kept;
            }
        }
        const double inverse = 1.0 / W[k][k];
        for (int i = k + 1; i < SPAN; i++) {
            const double factor = W[i][k] * inverse;
            for (int j = k + 1; j < SPAN; j++) W[i][j] -= factor * W[k][j];
            for (int j = 0; j < D; j++) B[i][j] -= factor * B[k][j];
        }
    }
    for (int k = SPAN - 1; k >= 0; k--) {
        const double inverse = 1.0 / W[k][k];
        for (int j = 0; j < D; j++) {
            double sum = B[k][j];
            for (int i = k + 1; i < SPAN; i++) sum -= W[k][i] * B[i][j];
            B[k][j] = sum * inverse;
        }
    }
}

/* S is what a step of length h with matrices A at its Gauss points does. */
ROUTH_APART void gauss_step(double A[STAGES][D][D], double h, double S[D][D])
{
    double W[SPAN][SPAN], B[SPAN][D];
    for (int i = 0; i < STAGES; i++)
        for (int r = 0; r < D; r++) {
            for (int j = 0; j < STAGES; j++)
                for (int c = 0; c < D; c++)
                    W[i * D + r][j * D + c] = -h * A[i][r][c] * gauss_matrix[i][j];
            W[i * D + r][i * D + r] += 1.0;
            for (int c = 0; c < D; c++) B[i * D + r][c] = A[i][r][c];
        }
    gauss_solve(W, B);
    for (int r = 0; r < D; r++)
        for (int c = 0; c < D; c++) {
            double sum = 0.0;
            for (int i = 0; i < STAGES; i++) sum += gauss_weights[i] * B[i * D + r][c];
            S[r][c] = (r == c ? 1.0 : 0.0) + h * sum;
        }
}

/* The same abreast, on the diagonal: its pivots are 1 for short steps, in whatever units, as these
   scale rows and columns inversely. How far they are from that is returned, 2 SPAN at least. */
ROUTH lanes gauss_diagonal(lanes A[STAGES][D][D], lanes h, lanes S[D][D])
{
    lanes W[SPAN][SPAN], B[SPAN][D], strain = h - h;
    for (int i = 0; i < STAGES; i++)
        for (int r = 0; r < D; r++) {
            for (int j = 0; j < STAGES; j++)
                for (int c = 0; c < D; c++)
                    W[i * D + r][j * D + c] = -h * A[i][r][c] * gauss_matrix[i][j];
            W[i * D + r][i * D + r] += 1.0;
            for (int c = 0; c < D; c++) B[i * D + r][c] = A[i][r][c];
        }
    for (int k = 0; k < SPAN; k++) {
        const lanes inverse = 1.0 / W[k][k];
        strain += W[k][k] * W[k][k] + inverse * inverse;
        for (int j = k + 1; j < SPAN; j++) W[k][j] *= inverse;
        for (int j = 0; j < D; j++) B[k][j] *= inverse;
        for (int i = k + 1; i < SPAN; i++) {
            const lanes factor = W[i][k];
            for (int j = k + 1; j < SPAN; j++) W[i][j] -= factor * W[k][j];
            for (int j = 0; j < D; j++) B[i][j] -= factor * B[k][j];
        }
    }
    for (int k = SPAN - 1; k > 0; k--)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < D; j++) B[i][j] -= W[i][k] * B[k][j];
    for (int r = 0; r < D; r++)
        for (int c = 0; c < D; c++) {
            lanes sum = h - h;
            for (int i = 0; i < STAGES; i++) sum += gauss_weights[i] * B[i * D + r][c];
            S[r][c] = (r == c ? 1.0 : 0.0) + h * sum;
        }
    return strain;
}

/* X becomes what a step makes of it, abreast; a lane whose pivots are far from 1 chooses them. */
ROUTH_APART void gauss_advance(lanes A[STAGES][D][D], lanes h, lanes X[D][D])
{
    lanes S[D][D];
    const lanes strain = gauss_diagonal(A, h, S);
    for (int lane = 0; lane < LANES; lane++) {
        if (LANE(strain, lane) <= STRAIN) continue;
        double own[STAGES][D][D], step[D][D];
        for (int s = 0; s < STAGES; s++)
            for (int i = 0; i < D; i++)
                for (int j = 0; j < D; j++) own[s][i][j] = LANE(A[s][i][j], lane);
        gauss_step(own, LANE(h, lane), step);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) LANE(S[i][j], lane) = step[i][j];
    }
    for (int c = 0; c < D; c++) {
        lanes column[D];
        for (int r = 0; r < D; r++) {
            column[r] = S[r][0] * X[0][c];
            for (int k = 1; k < D; k++) column[r] += S[r][k] * X[k][c];
        }
        for (int r = 0; r < D; r++) X[r][c] = column[r];
    }
}

/* Hamilton's equations about a rest: A from M = L_vv, F = L_vq, L_qq, and the slopes of the forces. */
ROUTH_APART void gauss_canonical(
    double M[N][N], double F[N][N], double L[N][N], double P[N][N], double V[N][N], double A[D][D])
{
    double H[N][N], T[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) T[i][j] = i == j ? 1.0 : 0.0;
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(M[i][k]) > fabs(M[best][k])) best = i;
        for (int j = 0; j < N && best != k; j++) {
            const double one = M[k][j], two = T[k][j];
            M[k][j] = M[best][j];
            M[best][j] = one;
            T[k][j] = T[best][j];
            T[best][j] = two;
        }
        const double inverse = 1.0 / M[k][k];
        for (int j = 0; j < N; j++) {
            M[k][j] *= inverse;
            T[k][j] *= inverse;
        }
        for (int i = 0; i < N; i++) {
            const double factor = M[i][k];
            for (int j = 0; j < N && i != k; j++) {
                M[i][j] -= factor * M[k][j];
                T[i][j] -= factor * T[k][j];
            }
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) H[i][j] = (T[i][j] + T[j][i]) / 2.0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double moved = 0.0;
            for (int k = 0; k < N; k++) moved -= H[i][k] * F[k][j];
            A[i][j] = moved;
            A[i][N + j] = H[i][j];
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double by_place = L[i][j] + P[i][j], by_momentum = -A[j][i];
            for (int k = 0; k < N; k++) {
                by_place += F[k][i] * A[k][j] + V[i][k] * A[k][j];
                by_momentum += V[i][k] * H[k][j];
            }
            A[N + i][j] = by_place;
            A[N + i][N + j] = by_momentum;
        }
}
