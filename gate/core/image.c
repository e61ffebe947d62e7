#include "gate/core/image.h"

#include "gate/core/descriptor.h"
#include "gate/core/error.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct image {
	const unsigned char *bytes; /* NULL: not readable, or empty */
	uint64_t size;
	uint64_t table, count; /* of section headers; count 0: none that can be trusted */
	uint64_t names, names_size;
	uint64_t entry;
	dev_t device;
	ino_t inode;
};

static void image_close(struct image *image)
{
	if (image->bytes)
		munmap((void *)(uintptr_t)image->bytes, image->size);
	image->bytes = NULL;
}

static bool lies_within(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

static Elf64_Shdr section_at(const struct image *image, uint64_t index)
{
	Elf64_Shdr section;
	memcpy(&section, image->bytes + image->table + index * sizeof section, sizeof section);
	return section;
}

static void find_sections(struct image *image)
{
	const unsigned char order =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr header;
	if (image->size < sizeof header || memcmp(image->bytes, ELFMAG, SELFMAG) != 0 ||
	    image->bytes[EI_CLASS] != ELFCLASS64 || image->bytes[EI_DATA] != order)
		return;
	memcpy(&header, image->bytes, sizeof header);
	if ((header.e_type != ET_EXEC && header.e_type != ET_DYN) ||
	    header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
	    !lies_within(image, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
		return;
	image->table = header.e_shoff;
	Elf64_Shdr names = section_at(image, header.e_shstrndx);
	if (names.sh_type != SHT_STRTAB || names.sh_size == 0 ||
	    !lies_within(image, names.sh_offset, names.sh_size) ||
	    image->bytes[names.sh_offset + names.sh_size - 1] != '\0')
		return;
	image->names = names.sh_offset;
	image->names_size = names.sh_size;
	image->entry = header.e_entry;
	image->count = header.e_shnum;
}

static bool image_open(struct image *image, const char *path)
{
	struct stat status;
	*image = (struct image){ .bytes = NULL };
	BG_AUTO(bg_descriptor_drop) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
		return false;
	image->size = (uint64_t)status.st_size;
	image->device = status.st_dev;
	image->inode = status.st_ino;
	void *bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	image->bytes = bytes;
	find_sections(image);
	return true;
}

/* Sections that are mapped and run; notes hold the build id, which changes with debug lines. */
static bool is_loaded(const Elf64_Shdr *section)
{
	return (section->sh_flags & SHF_ALLOC) && section->sh_type != SHT_NOTE;
}

static const char *name_of(const struct image *image, const Elf64_Shdr *section)
{
	if (section->sh_name >= image->names_size)
		return "";
	return (const char *)image->bytes + image->names + section->sh_name;
}

static bool same_section(const struct image *a, const Elf64_Shdr *x, const struct image *b,
			 const Elf64_Shdr *y)
{
	if (x->sh_type != y->sh_type || x->sh_flags != y->sh_flags || x->sh_size != y->sh_size ||
	    x->sh_addr != y->sh_addr || x->sh_addralign != y->sh_addralign ||
	    strcmp(name_of(a, x), name_of(b, y)) != 0)
		return false;
	if (x->sh_type == SHT_NOBITS)
		return true;
	if (!lies_within(a, x->sh_offset, x->sh_size) || !lies_within(b, y->sh_offset, y->sh_size))
		return false;
	return memcmp(a->bytes + x->sh_offset, b->bytes + y->sh_offset, x->sh_size) == 0;
}

/* The next loaded section from *index on; false at the end. */
static bool next_loaded(Elf64_Shdr *ret, const struct image *image, uint64_t *index)
{
	while (*index < image->count) {
		*ret = section_at(image, (*index)++);
		if (is_loaded(ret))
			return true;
	}
	return false;
}

static bool same_sections(const struct image *a, const struct image *b)
{
	uint64_t at_a = 0, at_b = 0;
	for (bool any = false;; any = true) {
		Elf64_Shdr x, y;
		bool has_a = next_loaded(&x, a, &at_a), has_b = next_loaded(&y, b, &at_b);
		if (!has_a || !has_b)
			return any && has_a == has_b;
		if (!same_section(a, &x, b, &y))
			return false;
	}
}

bool bg_image_equal(const char *path, const char *other)
{
	BG_AUTO(image_close) struct image a = { .bytes = NULL };
	BG_AUTO(image_close) struct image b = { .bytes = NULL };
	if (!image_open(&a, path) || !image_open(&b, other))
		return false;
	if (a.device == b.device && a.inode == b.inode)
		return true;
	if (a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0)
		return true;
	return a.count > 0 && b.count > 0 && a.entry == b.entry && same_sections(&a, &b);
}
