#include "baselines/built_in.h"

#include "gate/core/descriptor.h"
#include "gate/core/error.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64

struct scan {
	const char *needle;
	uint64_t left;
	char *name;
};

static void entries_drop(DIR **entries)
{
	if (*entries)
		closedir(*entries);
}

static bool holds(const unsigned char *bytes, uint64_t size, const char *needle)
{
	return memmem(bytes, size, needle, strlen(needle)) != NULL;
}

/* Whether the loaded parts of a 64-bit ELF file of this machine's byte order hold the needle. */
static bool program_holds(const unsigned char *bytes, uint64_t size, const char *needle)
{
	Elf64_Ehdr header;
	memcpy(&header, bytes, sizeof header);
	uint64_t table = header.e_phoff, count = header.e_phnum;
	/* What is not as the format says is searched whole. */
	if (header.e_phentsize != sizeof(Elf64_Phdr) || table > size ||
	    count > (size - table) / sizeof(Elf64_Phdr) || count == 0)
		return holds(bytes, size, needle);
	for (uint64_t i = 0; i < count; i++) {
		Elf64_Phdr part;
		memcpy(&part, bytes + table + i * sizeof part, sizeof part);
		if (part.p_type != PT_LOAD)
			continue;
		if (part.p_offset > size || part.p_filesz > size - part.p_offset)
			return holds(bytes, size, needle);
		if (holds(bytes + part.p_offset, part.p_filesz, needle))
			return true;
	}
	return false;
}

static bool contents_hold(const unsigned char *bytes, uint64_t size, const char *needle)
{
	static const char archive[] = "!<arch>\n";
	const unsigned char order =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	if (size >= sizeof archive - 1 && memcmp(bytes, archive, sizeof archive - 1) == 0)
		return false;
	if (size < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != order)
		return holds(bytes, size, needle);
	Elf64_Ehdr header;
	memcpy(&header, bytes, sizeof header);
	return header.e_type != ET_REL && program_holds(bytes, size, needle);
}

static enum bg_built_in search_file(struct scan *scan, int folder, const char *name, uint64_t size)
{
	if (size > scan->left)
		return BG_BUILT_IN_TOO_LARGE;
	scan->left -= size;
	if (size == 0)
		return BG_BUILT_IN_NOT;
	BG_AUTO(bg_descriptor_drop)
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return BG_BUILT_IN_UNREADABLE;
	void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return BG_BUILT_IN_UNREADABLE;
	bool found = contents_hold(bytes, size, scan->needle);
	munmap(bytes, size);
	return found ? BG_BUILT_IN_FOUND : BG_BUILT_IN_NOT;
}

static enum bg_built_in search_link(const struct scan *scan, int folder, const char *name)
{
	char target[PATH_MAX];
	ssize_t size = readlinkat(folder, name, target, sizeof target);
	if (size < 0)
		return BG_BUILT_IN_UNREADABLE;
	return holds((unsigned char *)target, (uint64_t)size, scan->needle) ? BG_BUILT_IN_FOUND
									    : BG_BUILT_IN_NOT;
}

/* Puts a part in front of the name; what is too long loses its start. */
static void name_under(struct scan *scan, const char *part)
{
	char joined[BG_BUILT_IN_NAME_SIZE];
	int size = snprintf(joined, sizeof joined, "%s%s%s", part, scan->name[0] ? "/" : "",
			    scan->name);
	if (size > 0 && (size_t)size < sizeof joined)
		memcpy(scan->name, joined, (size_t)size + 1);
}

static bool is_passed_over(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0 ||
	       strcmp(name, "__pycache__") == 0;
}

static enum bg_built_in search_folder(struct scan *scan, int parent, const char *folder,
				      unsigned depth);

static enum bg_built_in search_entry(struct scan *scan, int folder, const char *name,
				     unsigned depth)
{
	struct stat info;
	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return BG_BUILT_IN_UNREADABLE;
	if (S_ISDIR(info.st_mode))
		return search_folder(scan, folder, name, depth + 1);
	if (S_ISLNK(info.st_mode))
		return search_link(scan, folder, name);
	if (S_ISREG(info.st_mode))
		return search_file(scan, folder, name, (uint64_t)info.st_size);
	return BG_BUILT_IN_NOT;
}

static enum bg_built_in search_folder(struct scan *scan, int parent, const char *folder,
				      unsigned depth)
{
	if (depth > DEPTH_MAX)
		return BG_BUILT_IN_TOO_LARGE;
	int fd = openat(parent, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	BG_AUTO(entries_drop) DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
	if (!entries) {
		bg_descriptor_drop(&fd);
		return BG_BUILT_IN_UNREADABLE;
	}
	for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
		if (is_passed_over(entry->d_name))
			continue;
		enum bg_built_in result = search_entry(scan, fd, entry->d_name, depth);
		if (result != BG_BUILT_IN_NOT) {
			name_under(scan, entry->d_name);
			return result;
		}
	}
	return BG_BUILT_IN_NOT;
}

enum bg_built_in bg_built_in_find(char name[BG_BUILT_IN_NAME_SIZE], const char *folder,
				  const char *needle, uint64_t size_max)
{
	struct scan scan = { needle, size_max, name };
	name[0] = '\0';
	return search_folder(&scan, AT_FDCWD, folder, 0);
}
