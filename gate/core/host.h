#ifndef BG_CORE_HOST_H
#define BG_CORE_HOST_H
/* Which machine this is, and since which boot. */
#include <stdbool.h>

#define BG_BOOT_ID_SIZE 64

/* The kernel's boot id: the same in every container of a host, another after each boot; "" unknown.
 */
void bg_boot_id_read(char ret[BG_BOOT_ID_SIZE]);
/* True where boot_id is this machine's, since this boot. NULL, "" and an unknown own id: false. */
bool bg_host_is_this(const char *boot_id);
#endif
