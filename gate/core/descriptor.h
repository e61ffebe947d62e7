#ifndef BG_CORE_DESCRIPTOR_H
#define BG_CORE_DESCRIPTOR_H
#include <unistd.h>

/* Closes a descriptor once and forgets it; -1 is none. Fits BG_AUTO. */
static inline void bg_descriptor_drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
/* Hands it on: the variable forgets it. */
static inline int bg_descriptor_take(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}
#endif
