/* Eigenvalues of real matrices: balanced by powers of two (Parlett and Reinsch 1969), brought to
   Hessenberg's form by reflections, then by Francis' double steps (Golub and Van Loan 2013, sections
   7.4 and 7.5), with deflation as Ahues and Tisseur (1997) decide it. SIDE is the largest of them. */

#define QR_STEPS 40

/* A becomes D^-1 A D with rows and columns of like sizes. */
ROUTH void balance(int n, double *A)
{
    for (int again = 1, pass = 0; again && pass < 20; pass++) {
        again = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, factor = 1;
            for (int j = 0; j < n; j++)
                if (j != i) {
                    row += fabs(A[i * n + j]);
                    column += fabs(A[j * n + i]);
                }
            if (!(row > 0 && column > 0)) continue;
            const double sum = row + column;
            while (column < row / 2 && factor < 1e100) column *= 4, factor *= 2;
            while (column >= row * 2 && factor > 1e-100) column /= 4, factor /= 2;
            if (!((column + row) / factor < 0.95 * sum)) continue;
            again = 1;
            for (int j = 0; j < n; j++) A[i * n + j] /= factor;
            for (int j = 0; j < n; j++) A[j * n + i] *= factor;
        }
    }
}

/* A becomes upper Hessenberg, similar to what it was. */
ROUTH void hessenberg(int n, double *A)
{
    for (int k = 0; k < n - 2; k++) {
        double v[SIDE], largest = 0, sum = 0;
        for (int i = k + 1; i < n; i++) largest = fmax(largest, fabs(A[i * n + k]));
        int below = 0;
        for (int i = k + 2; i < n; i++) below |= A[i * n + k] != 0;
        if (!below) continue;
        for (int i = k + 1; i < n; i++) {
            v[i] = A[i * n + k] / largest;
            sum += v[i] * v[i];
        }
        const double size = v[k + 1] < 0 ? -sqrt(sum) : sqrt(sum);
        const double factor = 1 / (sum + v[k + 1] * size); /* 2 / v^T v */
        v[k + 1] += size;
        A[(k + 1) * n + k] = -largest * size;
        for (int i = k + 2; i < n; i++) A[i * n + k] = 0;
        for (int j = k + 1; j < n; j++) {
            double dot = 0;
            for (int i = k + 1; i < n; i++) dot += v[i] * A[i * n + j];
            dot *= factor;
            for (int i = k + 1; i < n; i++) A[i * n + j] -= dot * v[i];
        }
        for (int i = 0; i < n; i++) {
            double dot = 0;
            for (int j = k + 1; j < n; j++) dot += A[i * n + j] * v[j];
            dot *= factor;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= dot * v[j];
        }
    }
}

/* Whether the entry below the diagonal in row i is nothing beside its neighbours. */
ROUTH int is_nothing(int n, const double *H, int i)
{
    const double eps = 2.220446049250313e-16;
    const double under = fabs(H[i * n + i - 1]), over = fabs(H[(i - 1) * n + i]);
    const double a = H[(i - 1) * n + i - 1], d = H[i * n + i];
    if (under < 1e-290) return 1;
    double near = fabs(a) + fabs(d);
    if (near == 0) {
        if (i >= 2) near += fabs(H[(i - 1) * n + i - 2]);
        if (i + 1 < n) near += fabs(H[(i + 1) * n + i]);
    }
    if (!(under <= eps * near)) return 0;
    const double most = fmax(under, over), least = fmin(under, over);
    const double large = fmax(fabs(d), fabs(a - d)), small = fmin(fabs(d), fabs(a - d));
    const double sum = large + most;
    return least * (most / sum) <= fmax(1e-290, eps * (small * (large / sum)));
}

/* The eigenvalues of a block of two. */
ROUTH void of_two(double a, double b, double c, double d, double *real, double *imag)
{
    const double scale = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
    real[0] = real[1] = a;
    imag[0] = imag[1] = 0;
    if (scale == 0) return;
    const double p = (a - d) / (2 * scale), product = (b / scale) * (c / scale);
    const double square = p * p + product;
    if (square < 0) {
        real[0] = real[1] = (a + d) / 2;
        imag[0] = scale * sqrt(-square);
        imag[1] = -imag[0];
        return;
    }
    const double z = p < 0 ? p - sqrt(square) : p + sqrt(square);
    real[0] = d + scale * z;
    real[1] = z != 0 ? d - scale * (product / z) : d;
}

/* One double step on rows and columns low to high, with the sum and the product of two shifts. */
ROUTH void francis(int n, double *H, int low, int high, double sum, double product)
{
    int m;
    double x = 0, y = 0, z = 0;
    for (m = high - 2; m >= low; m--) { /* the step may begin where two entries below are small */
        const double a = H[m * n + m], b = H[m * n + m + 1];
        const double c = H[(m + 1) * n + m], d = H[(m + 1) * n + m + 1];
        x = a * (a - sum) + b * c + product;
        y = c * (a + d - sum);
        z = c * H[(m + 2) * n + m + 1];
        const double size = fabs(x) + fabs(y) + fabs(z);
        if (size > 0) x /= size, y /= size, z /= size;
        if (m == low) break;
        const double beside = fabs(H[(m - 1) * n + m - 1]) + fabs(a) + fabs(d);
        if (fabs(H[m * n + m - 1]) * (fabs(y) + fabs(z)) <= 2.220446049250313e-16 * fabs(x) * beside)
            break;
    }
    for (int k = m; k < high; k++) {
        const int three = k < high - 1;
        if (k > m) {
            x = H[k * n + k - 1];
            y = H[(k + 1) * n + k - 1];
            z = three ? H[(k + 2) * n + k - 1] : 0;
        }
        const double scale = fabs(x) + fabs(y) + fabs(z);
        if (scale == 0) continue;
        x /= scale, y /= scale, z /= scale;
        const double length = sqrt(x * x + y * y + z * z), size = x < 0 ? -length : length;
        if (k > m)
            H[k * n + k - 1] = -size * scale;
        else if (k > low) /* the entry before the step turns with its row */
            H[k * n + k - 1] -= H[k * n + k - 1] * (x + size) / size;
        /* the reflection is 1 - u w^T with u = (1, y, z) / ..., as x + size is not zero */
        const double u = (x + size) / size, v1 = y / (x + size), v2 = z / (x + size);
        const double w1 = y / size, w2 = z / size;
        for (int j = k; j <= high; j++) {
            double dot = H[k * n + j] + v1 * H[(k + 1) * n + j];
            if (three) {
                dot += v2 * H[(k + 2) * n + j];
                H[(k + 2) * n + j] -= dot * w2;
            }
            H[k * n + j] -= dot * u;
            H[(k + 1) * n + j] -= dot * w1;
        }
        const int last = k + 3 < high ? k + 3 : high;
        for (int i = low; i <= last; i++) {
            double dot = u * H[i * n + k] + w1 * H[i * n + k + 1];
            if (three) {
                dot += w2 * H[i * n + k + 2];
                H[i * n + k + 2] -= dot * v2;
            }
            H[i * n + k] -= dot;
            H[i * n + k + 1] -= dot * v1;
        }
        if (k > m) {
            H[(k + 1) * n + k - 1] = 0;
            if (three) H[(k + 2) * n + k - 1] = 0;
        }
    }
}

/* The eigenvalues of A, which is spoilt; conjugates side by side, the upper one first. Whether they were
   found. */
ROUTH int eigenvalues(int n, double *A, double *real, double *imag)
{
    balance(n, A);
    hessenberg(n, A);
    int high = n - 1, steps = 0;
    while (high >= 0) {
        int low = high;
        while (low > 0 && !is_nothing(n, A, low)) low--;
        if (low > 0) A[low * n + low - 1] = 0;
        const double d = A[high * n + high];
        if (low == high) {
            real[high] = d;
            imag[high] = 0;
            high -= 1, steps = 0;
            continue;
        }
        const double a = A[(high - 1) * n + high - 1];
        const double b = A[(high - 1) * n + high], c = A[high * n + high - 1];
        if (low == high - 1) {
            of_two(a, b, c, d, real + low, imag + low);
            high -= 2, steps = 0;
            continue;
        }
        if (++steps > QR_STEPS) return 0;
        double sum = a + d, product = a * d - b * c;
        if (steps % 10 == 0) { /* shifts of another kind where steps go round in circles */
            const double size = fabs(c) + fabs(A[(high - 1) * n + high - 2]);
            sum = 1.5 * size + 2 * d;
            product = d * d + 1.5 * size * d + size * size;
        }
        francis(n, A, low, high, sum, product);
    }
    return 1;
}
