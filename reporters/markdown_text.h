#ifndef BG_REPORTERS_MARKDOWN_TEXT_H
#define BG_REPORTERS_MARKDOWN_TEXT_H
/*
 * Foreign text in GitHub's and GitLab's Markdown, made inert. Escapes with a backslash are not
 * enough: both services look for @names, #numbers, commit ids and addresses in the rendered text.
 * Within a code span they look for nothing, so whatever could mean something becomes one. All is
 * made visible first (reporters/visible.h) and stays one line.
 */
#include "gate/core/buffer.h"

enum bg_markdown_place {
	BG_MARKDOWN_LINE, /* a paragraph or list item */
	BG_MARKDOWN_CELL, /* of a table, where "|" would begin the next one */
};

/* The text as one code span; columns (>= 8): cut in the middle where it is longer. */
void bg_markdown_code(struct bg_buffer *out, const char *text, size_t columns,
		      enum bg_markdown_place place);
/*
 * The text as prose: plain words as they are, runs of all others as code spans; at most about
 * size_max bytes of it, what is left out counted. Has no word that could open a list or a heading.
 */
void bg_markdown_prose(struct bg_buffer *out, const char *text, size_t size_max,
		       enum bg_markdown_place place);
/* One line of a code block, indented by four spaces, with its LF; columns as above. */
void bg_markdown_verbatim(struct bg_buffer *out, const char *text, size_t columns);
/* "<!-- batchgate:NAME -->", by which a program finds its own text again; at most 300 bytes. */
void bg_markdown_marker(struct bg_buffer *out, const char *name);
#endif
