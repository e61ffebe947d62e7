#include "gate/core/quota.h"

#include "gate/core/text.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096

static bool read_text(char *text, size_t size, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	return true;
}

/* "max 100000" or "50000 100000" -> cores. */
static double parse_quota(const char *quota, const char *period)
{
	uint64_t quota_us, period_us;
	if (!bg_text_to_u64(&quota_us, quota, 1, UINT64_MAX) ||
	    !bg_text_to_u64(&period_us, period, 1, UINT64_MAX))
		return INFINITY;
	return (double)quota_us / (double)period_us;
}

static double quota_v2(const char *dir)
{
	char path[PATH_SIZE + 16], text[128];
	snprintf(path, sizeof path, "%s/cpu.max", dir);
	if (!read_text(text, sizeof text, path))
		return INFINITY;
	text[strcspn(text, "\n")] = '\0';
	char *space = strchr(text, ' ');
	if (!space)
		return INFINITY;
	*space = '\0';
	return parse_quota(text, space + 1);
}

static double quota_v1(const char *dir)
{
	char path[PATH_SIZE + 32], quota[64], period[64];
	snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", dir);
	if (!read_text(quota, sizeof quota, path))
		return INFINITY;
	snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
	if (!read_text(period, sizeof period, path))
		return INFINITY;
	quota[strcspn(quota, "\n")] = period[strcspn(period, "\n")] = '\0';
	return parse_quota(quota, period);
}

/* Walks from the group up to the mount; the tightest counts. */
static void walk_up(struct bg_quota *ret, const char *mount, const char *group,
		    double (*quota_of)(const char *dir))
{
	char dir[PATH_SIZE];
	int length = snprintf(dir, sizeof dir, "%s%s", mount, strcmp(group, "/") ? group : "");
	size_t top = strlen(mount);
	if (length < 0 || (size_t)length >= sizeof dir)
		return;
	for (;;) {
		double cores = quota_of(dir);
		if (cores < ret->cores) {
			ret->cores = cores;
			snprintf(ret->stat_path, sizeof ret->stat_path, "%.4000s/cpu.stat", dir);
		}
		char *slash = strrchr(dir, '/');
		if (!slash || (size_t)(slash - dir) < top)
			return;
		*slash = '\0';
	}
}

static bool lists_cpu(const char *controllers, size_t length)
{
	while (length > 0) {
		size_t word = 0;
		while (word < length && controllers[word] != ',')
			word++;
		if (word == 3 && memcmp(controllers, "cpu", 3) == 0)
			return true;
		controllers += word < length ? word + 1 : word;
		length -= word < length ? word + 1 : word;
	}
	return false;
}

void bg_quota_read(struct bg_quota *ret, const char *root)
{
	*ret = (struct bg_quota){ .cores = INFINITY };
	char path[PATH_SIZE], text[8192], mount[PATH_SIZE];
	snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
	if (!read_text(text, sizeof text, path))
		return;
	/* Lines are "hierarchy:controllers:path"; an empty controller list is version 2. */
	for (char *line = text, *next; *line; line = next) {
		size_t length = strcspn(line, "\n");
		next = line + length + (line[length] != '\0');
		line[length] = '\0';
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		controllers++;
		if (group == controllers) {
			snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
			walk_up(ret, mount, group + 1, quota_v2);
			snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/unified", root);
			walk_up(ret, mount, group + 1, quota_v2);
		} else if (lists_cpu(controllers, (size_t)(group - controllers))) {
			snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/cpu", root);
			walk_up(ret, mount, group + 1, quota_v1);
		}
	}
}

uint64_t bg_quota_throttled(const struct bg_quota *quota)
{
	char text[4096];
	if (!quota->stat_path[0] || !read_text(text, sizeof text, quota->stat_path))
		return 0;
	const char *field = strstr(text, "nr_throttled ");
	if (!field)
		return 0;
	uint64_t count = 0;
	for (field += strlen("nr_throttled "); *field >= '0' && *field <= '9'; field++)
		count = count * 10 + (uint64_t)(*field - '0');
	return count;
}
