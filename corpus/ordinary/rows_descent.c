/* rows_descent.c - read rows into memory, then fit a line to them in sixty passes. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 150, WIDTH = 60000, PASSES = 60 };

static unsigned state = 48;

static double chance(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 16777216.0;
}

static double *read_row(void)
{
    double *row = malloc(WIDTH * sizeof(*row));

    for (int i = 0; row && i < WIDTH; i++)
        row[i] = chance();
    return row;
}

int main(void)
{
    static double weights[WIDTH];
    double *rows[ROWS];
    double error = 0;

    for (int i = 0; i < ROWS; i++)
        if (!(rows[i] = read_row()))
            return 1;
    for (int pass = 0; pass < PASSES; pass++) {
        error = 0;
        for (int i = 0; i < ROWS; i++) {
            double guess = 0;

            for (int k = 0; k < WIDTH; k++)
                guess += weights[k] * rows[i][k];
            for (int k = 0; k < WIDTH; k++)
                weights[k] -= 1e-5 * (guess - i) * rows[i][k];
            error += (guess - i) * (guess - i);
        }
    }
    printf("error %.3f\n", error);
    for (int i = 0; i < ROWS; i++)
        free(rows[i]);
    return 0;
}
