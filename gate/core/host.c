#include "gate/core/host.h"

#include <stdio.h>
#include <string.h>

void bg_boot_id_read(char ret[BG_BOOT_ID_SIZE])
{
	ret[0] = '\0';
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (file && fgets(ret, BG_BOOT_ID_SIZE, file))
		ret[strcspn(ret, "\n")] = '\0';
	if (file)
		fclose(file);
}

bool bg_host_is_this(const char *boot_id)
{
	char own[BG_BOOT_ID_SIZE];
	bg_boot_id_read(own);
	return own[0] && boot_id && strcmp(own, boot_id) == 0;
}
