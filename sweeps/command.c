#include "sweeps/command.h"

#include "gate/core/buffer.h"
#include "sweeps/phrase.h"

#include <string.h>

struct splitter {
	const char *rest;
	struct bg_buffer word;
	bool in_word; /* '' is a word too */
	struct bg_command_words out;
	size_t capacity;
	struct bg_arena *arena;
};

static void splitter_release(struct splitter *splitter)
{
	bg_buffer_release(&splitter->word);
}

static enum bg_status needs_shell(char c, struct bg_error *err)
{
	return bg_fail(err, BG_E_INPUT,
		       "unquoted %c needs a shell; write [sh, -c, '...'] to have one, or quote it "
		       "to mean the character",
		       c);
}

static void end_word(struct splitter *splitter)
{
	if (!splitter->in_word)
		return;
	struct bg_command_words *out = &splitter->out;
	out->words = bg_arena_grow(splitter->arena, out->words, out->count, &splitter->capacity,
				   sizeof *out->words);
	out->words[out->count++] =
		bg_arena_bytes(splitter->arena, splitter->word.bytes, splitter->word.size);
	bg_buffer_clear(&splitter->word);
	splitter->in_word = false;
}

/* At the opening quote. */
static enum bg_status take_single(struct splitter *splitter, struct bg_error *err)
{
	const char *start = splitter->rest + 1, *end = strchr(start, '\'');
	if (!end)
		return bg_fail(err, BG_E_INPUT, "a ' without its closing '");
	bg_buffer_add(&splitter->word, start, (size_t)(end - start));
	splitter->rest = end + 1;
	return BG_OK;
}

/* At the opening quote; a shell would still expand $ and ` in here. */
static enum bg_status take_double(struct splitter *splitter, struct bg_error *err)
{
	const char *c = splitter->rest + 1;
	for (; *c && *c != '"'; c++) {
		if (*c == '$' || *c == '`')
			return bg_fail(err, BG_E_INPUT,
				       "%c in double quotes needs a shell; write [sh, -c, '...'] "
				       "to have one, or use single quotes to mean the character",
				       *c);
		if (*c == '\\' && c[1] && strchr("\"\\$`", c[1]))
			c++;
		bg_buffer_add(&splitter->word, c, 1);
	}
	if (!*c)
		return bg_fail(err, BG_E_INPUT, "a \" without its closing \"");
	splitter->rest = c + 1;
	return BG_OK;
}

static enum bg_status take_plain(struct splitter *splitter, struct bg_error *err)
{
	const char *c = splitter->rest;
	if (strchr("|&;<>$`*()", *c) || (!splitter->in_word && strchr("~#", *c)))
		return needs_shell(*c, err);
	if (*c == '\\') {
		c++;
		if (!*c || *c == '\n')
			return bg_fail(err, BG_E_INPUT,
				       "a \\ with nothing behind it; a command is one line");
	}
	bg_buffer_add(&splitter->word, c, 1);
	splitter->rest = c + 1;
	return BG_OK;
}

/* NAME=value in front of a command is the shell's. */
static bool is_assignment(const char *word)
{
	size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "0123456789_");
	return length > 0 && word[length] == '=';
}

static enum bg_status take(struct splitter *splitter, struct bg_error *err)
{
	char c = *splitter->rest;
	if (c == ' ' || c == '\t' || c == '\n') {
		if (c == '\n' && splitter->rest[strspn(splitter->rest, " \t\n")])
			return bg_fail(err, BG_E_INPUT,
				       "a command is one line; fold it with run: > or write "
				       "[sh, -c, '...']");
		end_word(splitter);
		splitter->rest++;
		return BG_OK;
	}
	enum bg_status status = c == '\''  ? take_single(splitter, err)
				: c == '"' ? take_double(splitter, err)
					   : take_plain(splitter, err);
	splitter->in_word = true;
	return status;
}

static enum bg_status check(const struct bg_command_words *command, struct bg_error *err)
{
	size_t size = 0;
	for (size_t i = 0; i < command->count; i++)
		size += strlen(command->words[i]) + 1;
	if (command->count == 0 || !command->words[0][0])
		return bg_fail(err, BG_E_INPUT, "the command names no program");
	if (size > BG_COMMAND_SIZE_MAX)
		return bg_fail(err, BG_E_INPUT, "the command is longer than %zu bytes",
			       BG_COMMAND_SIZE_MAX);
	return BG_OK;
}

enum bg_status bg_command_split(struct bg_command_words *ret, const char *text,
				struct bg_arena *arena, struct bg_error *err)
{
	BG_AUTO(splitter_release) struct splitter splitter = { .rest = text, .arena = arena };
	bg_buffer_init(&splitter.word, BG_SUITE_SIZE_MAX);
	while (*splitter.rest)
		if (take(&splitter, err) != BG_OK)
			return err->status;
	end_word(&splitter);
	struct bg_command_words *out = &splitter.out;
	if (check(out, err) != BG_OK)
		return err->status;
	if (is_assignment(out->words[0]))
		return bg_fail(err, BG_E_INPUT,
			       "%s in front of a command needs a shell; write env %s ...",
			       bg_phrase_quote(arena, out->words[0]), out->words[0]);
	out->words = bg_arena_grow(arena, out->words, out->count, &splitter.capacity,
				   sizeof *out->words);
	out->words[out->count] = NULL;
	*ret = *out;
	return BG_OK;
}

static enum bg_status read_word(const char **ret, const struct bg_node *node, const char *what,
				struct bg_error *err)
{
	if (node->kind == BG_NODE_MAP && node->count == 1 && node->items[0].plain &&
	    !node->items[0].text[0])
		return bg_node_fail(err, node,
				    "write \"{%s}\" in quotes; without them YAML reads "
				    "a map",
				    node->keys[0].text);
	if (node->kind == BG_NODE_SCALAR && !node->plain) {
		*ret = node->text;
		return BG_OK;
	}
	return bg_node_text(ret, node, what, err);
}

enum bg_status bg_command_read(struct bg_command_words *ret, const struct bg_node *node,
			       const char *what, struct bg_error *err)
{
	struct bg_arena *arena = node->source->arena;
	struct bg_command_words command = { 0 };
	const char *text;
	if (node->kind == BG_NODE_LIST) {
		if (bg_node_list(node, what, err) != BG_OK)
			return err->status;
		const char *each = bg_arena_format(arena, "each word of %s", what);
		command.words = bg_arena_array(arena, node->count + 1, sizeof *command.words);
		for (; command.count < node->count; command.count++)
			if (read_word(&command.words[command.count], &node->items[command.count],
				      each, err) != BG_OK)
				return err->status;
		if (check(&command, err) != BG_OK)
			return bg_node_within(err, node);
	} else {
		if (bg_node_text(&text, node, what, err) != BG_OK)
			return err->status;
		if (bg_command_split(&command, text, arena, err) != BG_OK)
			return bg_node_within(err, node);
	}
	*ret = command;
	return BG_OK;
}

static void add_quoted(struct bg_buffer *out, const char *word)
{
	bg_buffer_text(out, "'");
	for (; *word; word++) {
		unsigned char byte = (unsigned char)*word;
		if (byte == '\'')
			bg_buffer_text(out, "'\\''");
		else if (byte < ' ' || byte == 0x7f)
			bg_buffer_format(out, "\\x%02X", byte);
		else
			bg_buffer_add(out, word, 1);
	}
	bg_buffer_text(out, "'");
}

const char *bg_command_text(const char *const *words, size_t count, struct bg_arena *arena)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=.,/:@%{}";
	BG_AUTO(bg_buffer_release) struct bg_buffer out;
	bg_buffer_init(&out, 8 * BG_COMMAND_SIZE_MAX);
	for (size_t i = 0; i < count; i++) {
		bg_buffer_text(&out, i > 0 ? " " : "");
		if (*words[i] && strspn(words[i], plain) == strlen(words[i]))
			bg_buffer_text(&out, words[i]);
		else
			add_quoted(&out, words[i]);
	}
	return bg_arena_text(arena, out.bytes ? out.bytes : "");
}
