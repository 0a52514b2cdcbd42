#ifndef DOMESDAY_CDECIMAL_H
#define DOMESDAY_CDECIMAL_H

#include <stdint.h>

// Arithmetic of IEEE 754 decimals of 128 bits in binary integer encoding, done by Intel's library.
// Results are rounded to the nearest, half to even. Nothing is kept between calls: any thread.

/// A decimal as the format's 16 bytes: the low and the high 64 bits.
typedef struct {
    uint64_t low;
    uint64_t high;
} domesday_decimal;

domesday_decimal domesday_decimal_add(domesday_decimal a, domesday_decimal b);
domesday_decimal domesday_decimal_subtract(domesday_decimal a, domesday_decimal b);
domesday_decimal domesday_decimal_multiply(domesday_decimal a, domesday_decimal b);
domesday_decimal domesday_decimal_divide(domesday_decimal a, domesday_decimal b);

/// Whether the numbers are equal: zeros are, NaN is not even to itself.
int domesday_decimal_equal(domesday_decimal a, domesday_decimal b);

/// Whether `a` is less than `b`; false for NaN.
int domesday_decimal_less(domesday_decimal a, domesday_decimal b);

/// The nearest double.
double domesday_decimal_to_double(domesday_decimal a);

/// What the library makes of a text; for tests, which hold our parser against it.
domesday_decimal domesday_decimal_from_text(const char *text);

#endif
