#include "CDecimal.h"

#include <string.h>

// Debian's libbidgcc000: arguments, rounding and flags by value, no globals.
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
// The macros in it give the functions their real names, `__bid128_add` and so on.
#include <bid_conf.h>
#include <bid_functions.h>

// Both are the same 16 bytes; the library's type is aligned to 16.
static BID_UINT128 wide(domesday_decimal a) {
    BID_UINT128 result;
    memcpy(&result, &a, sizeof a);
    return result;
}

static domesday_decimal narrow(BID_UINT128 a) {
    domesday_decimal result;
    memcpy(&result, &a, sizeof result);
    return result;
}

static const _IDEC_round to_nearest_even = 0;

domesday_decimal domesday_decimal_add(domesday_decimal a, domesday_decimal b) {
    _IDEC_flags flags = 0;
    return narrow(bid128_add(wide(a), wide(b), to_nearest_even, &flags));
}

domesday_decimal domesday_decimal_subtract(domesday_decimal a, domesday_decimal b) {
    _IDEC_flags flags = 0;
    return narrow(bid128_sub(wide(a), wide(b), to_nearest_even, &flags));
}

domesday_decimal domesday_decimal_multiply(domesday_decimal a, domesday_decimal b) {
    _IDEC_flags flags = 0;
    return narrow(bid128_mul(wide(a), wide(b), to_nearest_even, &flags));
}

domesday_decimal domesday_decimal_divide(domesday_decimal a, domesday_decimal b) {
    _IDEC_flags flags = 0;
    return narrow(bid128_div(wide(a), wide(b), to_nearest_even, &flags));
}

int domesday_decimal_equal(domesday_decimal a, domesday_decimal b) {
    _IDEC_flags flags = 0;
    return bid128_quiet_equal(wide(a), wide(b), &flags);
}

int domesday_decimal_less(domesday_decimal a, domesday_decimal b) {
    _IDEC_flags flags = 0;
    return bid128_quiet_less(wide(a), wide(b), &flags);
}

double domesday_decimal_to_double(domesday_decimal a) {
    _IDEC_flags flags = 0;
    return bid128_to_binary64(wide(a), to_nearest_even, &flags);
}

domesday_decimal domesday_decimal_from_text(const char *text) {
    _IDEC_flags flags = 0;
    // It does not write to the text, but does not say so.
    return narrow(bid128_from_string((char *)text, to_nearest_even, &flags));
}
