#ifndef BG_CORE_IMAGE_H
#define BG_CORE_IMAGE_H
/*
 * Whether two files, when mapped as a program or a library, are the same machine code and data.
 * What only debuggers and package tools read (symbols, debug lines, build id) does not count. A
 * file that is no 64-bit ELF of this machine's byte order, or not as the format says, is compared
 * whole: where in doubt, they differ.
 */
#include <stdbool.h>

/*
 * False also where either cannot be read. Bytes are compared, not hashes: whoever writes the code
 * under test cannot forge an equality.
 * cost: reads both files once
 */
bool bg_image_equal(const char *path, const char *other);
#endif
