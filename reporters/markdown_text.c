#include "reporters/markdown_text.h"

#include "gate/core/random.h" /* bg_hash */
#include "reporters/visible.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define TEXT_SIZE_MAX ((size_t)1 << 20)
#define MARKER_NAME_MAX 200
#define COMMIT_ID_MIN 7 /* hex digits that GitHub takes for a commit */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Within a code span only two things could end it or its table cell. A pipe is escaped in a cell;
 * readers disagree about a backslash before it, which is shown as its number then.
 */
static void add_span(struct bg_buffer *out, const char *text, size_t size,
		     enum bg_markdown_place place)
{
	if (size == 0)
		return;
	bg_buffer_text(out, "`");
	for (size_t i = 0; i < size; i++) {
		bool before_pipe = i + 1 < size && text[i + 1] == '|';
		if (text[i] == '`')
			bg_buffer_text(out, "\\x60");
		else if (place == BG_MARKDOWN_CELL && text[i] == '|')
			bg_buffer_text(out, "\\|");
		else if (place == BG_MARKDOWN_CELL && text[i] == '\\' && before_pipe)
			bg_buffer_text(out, "\\x5C");
		else
			bg_buffer_add(out, text + i, 1);
	}
	bg_buffer_text(out, "`");
}

void bg_markdown_code(struct bg_buffer *out, const char *text, size_t columns,
		      enum bg_markdown_place place)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer visible, cut;
	bg_buffer_init(&visible, TEXT_SIZE_MAX);
	bg_buffer_init(&cut, TEXT_SIZE_MAX);
	bg_visible_add(&visible, text, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	bg_visible_trim(&visible);
	bg_visible_cut(&cut, visible.bytes ? visible.bytes : "", columns);
	add_span(out, cut.bytes, cut.size, place);
}

/* "fedcba9" and longer: a commit, to GitHub. */
static bool has_commit_id(const char *word, size_t size)
{
	size_t digits = 0;
	for (size_t i = 0; i < size && digits < COMMIT_ID_MIN; i++)
		digits = isxdigit((unsigned char)word[i]) ? digits + 1 : 0;
	return digits >= COMMIT_ID_MIN;
}

/*
 * "GH-12", and whatever prefix a repository chose for its own tracker; "%3", a milestone of
 * GitLab's; "www.", an address.
 */
static bool has_reference(const char *word, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++) {
		bool digit = i + 2 < size && is_digit(word[i + 2]);
		if ((is_letter(word[i]) && word[i + 1] == '-' && digit) ||
		    (word[i] == '%' && !strchr(".,;)", word[i + 1])) ||
		    (i + 4 <= size && strncasecmp(word + i, "www.", 4) == 0))
			return true;
	}
	return false;
}

/* Nothing that Markdown, or what a service makes of it, could take for more than a word. */
static bool is_plain_word(const char *word, size_t size)
{
	static const char inner[] = ".,;+%()'\"-";
	while (size > 0 && word[size - 1] == ':') /* but ":name:" is a picture */
		size--;
	for (size_t i = 0; i < size; i++) {
		char c = word[i];
		bool of_text = is_letter(c) || is_digit(c) || (unsigned char)c & 0x80;
		if (!of_text && !strchr(inner, c))
			return false;
	}
	return size > 0 && !has_commit_id(word, size) && !has_reference(word, size);
}

static size_t word_size(const char *text)
{
	return strcspn(text, " ");
}

/* Bytes of the words at text that are not plain, with the spaces between them. */
static size_t special_size(const char *text, bool first)
{
	size_t size = 0;
	while (text[size]) {
		size_t spaces = strspn(text + size, " "), word = word_size(text + size + spaces);
		bool opens = first && size == 0 && !is_letter(text[spaces]);
		if (word > 0 && is_plain_word(text + size + spaces, word) && !opens)
			break;
		size += spaces + word;
	}
	return size;
}

static void add_words(struct bg_buffer *out, const char *text, enum bg_markdown_place place)
{
	for (bool first = true; *text; first = false) {
		size_t spaces = strspn(text, " "), special = special_size(text + spaces, first);
		bg_buffer_text(out, !first && spaces > 0 ? " " : "");
		text += spaces;
		size_t size = special > 0 ? special : word_size(text);
		if (special > 0)
			add_span(out, text, size, place);
		else
			bg_buffer_add(out, text, size);
		text += size;
	}
}

void bg_markdown_prose(struct bg_buffer *out, const char *text, size_t size_max,
		       enum bg_markdown_place place)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer visible;
	bg_buffer_init(&visible, TEXT_SIZE_MAX);
	bg_visible_add_some(&visible, text, size_max, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	add_words(out, visible.bytes ? visible.bytes : "", place);
}

void bg_markdown_verbatim(struct bg_buffer *out, const char *text, size_t columns)
{
	BG_AUTO(bg_buffer_release) struct bg_buffer visible;
	bg_buffer_init(&visible, TEXT_SIZE_MAX);
	bg_visible_add(&visible, text, BG_VISIBLE_LINE | BG_VISIBLE_STRIP_ANSI);
	bg_visible_trim(&visible);
	bg_buffer_text(out, "    ");
	bg_visible_cut(out, visible.bytes ? visible.bytes : "", columns);
	bg_buffer_text(out, "\n");
}

/* Two dashes may not stand in a comment. */
void bg_markdown_marker(struct bg_buffer *out, const char *name)
{
	size_t start = out->size, i = 0;
	bg_buffer_text(out, "<!-- batchgate:");
	for (; name[i] && out->size - start < MARKER_NAME_MAX; i++) {
		char c = name[i];
		bool dash = c == '-' && i > 0 && name[i - 1] != '-';
		if (is_letter(c) || is_digit(c) || dash || (c != '\0' && strchr("._+", c)))
			bg_buffer_add(out, &c, 1);
		else
			bg_buffer_format(out, "%%%02X", (unsigned char)c);
	}
	if (name[i])
		bg_buffer_format(out, "%%%016llx",
				 (unsigned long long)bg_hash(BG_HASH_INIT, name, strlen(name)));
	bg_buffer_text(out, " -->");
}
