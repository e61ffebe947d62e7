#ifndef BG_REPORTERS_VISIBLE_H
#define BG_REPORTERS_VISIBLE_H
/*
 * Foreign text made harmless: valid UTF-8 and valid XML 1.0, nothing a terminal or a CI log acts
 * on. Bytes that are no UTF-8 and control characters become \xNN, other code points that are
 * invisible, reorder text or are no characters become \uNNNN. The markers of GitLab attachments
 * ("[[ATTACHMENT|") and of Azure and GitHub log commands ("##vso[", "##[") are broken up.
 */
#include "gate/core/buffer.h"

#include <stdint.h>

enum bg_visible_flags {
	BG_VISIBLE_LINE = 0,		/* one line: LF and TAB are control characters too */
	BG_VISIBLE_LINES = 1 << 0,	/* LF and TAB stay, CR LF becomes LF */
	BG_VISIBLE_STRIP_ANSI = 1 << 1, /* terminal sequences vanish instead of showing as \x1B[ */
	BG_VISIBLE_ONE_TO_ONE = 1 << 2, /* backslash doubles: different texts stay different */
};

/* Appends text; NULL appends nothing. */
void bg_visible_add(struct bg_buffer *out, const char *text, unsigned flags);
/*
 * The same, at most about size_max bytes; what is left out is counted: " ... (1234 more bytes)".
 */
void bg_visible_add_some(struct bg_buffer *out, const char *text, size_t size_max, unsigned flags);

/* Drops the torn character at the end of a buffer that became full. */
void bg_visible_trim(struct bg_buffer *out);

/*
 * Breaks up "::" where it begins a line of out, blanks before it or not: GitHub Actions takes such
 * a line of any program's output for a command. It becomes "\\x3A:". cost: O(size of out)
 */
void bg_visible_guard_lines(struct bg_buffer *out);

/* Columns of a visible text of size bytes: one a code point. */
size_t bg_visible_columns(const char *text, size_t size);
/*
 * Appends a visible text cut in the middle ("gemm/eng...batch=8") to fit the columns (>= 8);
 * the end gets the larger half, since axes differ there.
 */
void bg_visible_cut(struct bg_buffer *out, const char *text, size_t columns);
/* The same, cut at the end ("exit status 1 ..."). */
void bg_visible_clip(struct bg_buffer *out, const char *text, size_t columns);
#endif
