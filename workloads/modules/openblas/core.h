#ifndef BG_OPENBLAS_CORE_H
#define BG_OPENBLAS_CORE_H
/* What the processor can do, in OpenBLAS' words. */
#include <stdbool.h>

/*
 * The OPENBLAS_CORETYPE that fits the processor and the system's saved registers; NULL leaves the
 * choice to OpenBLAS. OpenBLAS knows processors by model number, and takes one newer than itself
 * for a Prescott of 2004 (0.3.21 does on Sapphire Rapids, its issue 4267): five times too slow.
 */
const char *bg_openblas_core(void);

/* True for a core whose kernels leave most of this processor idle. */
bool bg_openblas_core_is_too_old(const char *core);
#endif
