#include "baselines/repository.h"
#include "baselines/spool.h"
#include "gate/cli/command.h"
#include "gate/wire/result_file.h"

#include <stdio.h>

struct options {
	struct bg_texts results;
	bool force;
};

static const struct bg_option option_list[] = {
	{ "force", BG_OPTION_FLAG, .offset = BG_TARGET_FLAG(struct options, force),
	  .help = "record a head with changes that are not committed; it never serves as a "
		  "baseline" },
};

static const struct bg_option_table table = {
	.count = sizeof option_list / sizeof *option_list,
	.options = option_list,
	.operands = "[RESULT]",
	.operand_max = 1,
	.operand_offset = BG_TARGET_TEXTS(struct options, results),
};

static enum bg_status keep(const struct bg_record *record, struct bg_arena *arena,
			   struct bg_error *err)
{
	struct bg_repository repository;
	const char *path;
	if (bg_repository_open(&repository, ".", arena, err) != BG_OK)
		return err->status;
	enum bg_status status = bg_spool_write(&path, repository.common_dir, record, arena, err);
	bg_repository_close(&repository);
	return status;
}

static enum bg_status run(int *ret, const void *target, struct bg_arena *arena,
			  struct bg_error *err)
{
	const struct options *options = target;
	const char *path = options->results.count > 0 ? options->results.values[0]
						      : "batchgate-out/result.json";
	struct bg_result *result = bg_arena_alloc(arena, sizeof *result);
	struct bg_record record;
	char id[BG_RECORD_RUN_SIZE];
	if (bg_result_read(result, path, arena, err) != BG_OK || bg_run_id_make(id, err) != BG_OK)
		return err->status;
	if (bg_record_from_result(&record, result, id, arena, err) != BG_OK)
		return bg_within(err, "%s", path);
	if (record.dirty && !options->force)
		return bg_fail(err, BG_E_INPUT,
			       "%s: head had changes that are not committed, so its numbers belong "
			       "to no commit: commit and measure again; --force records it all the "
			       "same",
			       path);
	if (keep(&record, arena, err) != BG_OK)
		return err->status;
	printf("recorded  %s\n", record.run);
	printf("commit    %s%s\n", record.commit, record.dirty ? ", with changes" : "");
	printf("class     %s\n", record.runner_class);
	printf("cells     %zu\n", record.cell_count);
	*ret = BG_EXIT_PASS;
	return BG_OK;
}

const struct bg_subcommand bg_subcommand_record = {
	.name = "record",
	.summary = "Keeps a result as a baseline of its commit",
	.details =
		"RESULT is the result.json of a run or a gate; without it,\n"
		"batchgate-out/result.json. What was measured of head becomes a record that waits\n"
		"in the repository's git folder until 'batchgate baseline push' publishes it.\n"
		"Commands in this repository see it at once.\n",
	.table = &table,
	.options_size = sizeof(struct options),
	.run = run,
};
