#include "sweeps/ask.h"

enum bg_status bg_catalogue_read(struct bg_catalogue *ret, struct bg_link *link, double timeout_s,
				 struct bg_arena *arena, struct bg_error *err)
{
	struct bg_request request = { .op = BG_OP_LIST };
	struct bg_reply reply;
	enum bg_status status = bg_link_call(link, &request, timeout_s, &reply, arena, err);
	if (status != BG_OK)
		return status;
	if (!reply.ok)
		return bg_fail(err, BG_E_INPUT, "%s: list: %s", link->name, reply.reason);
	*ret = (struct bg_catalogue){ .workload_count = reply.workload_count,
				      .missing_count = reply.missing_count,
				      .workloads = reply.workloads,
				      .missing = reply.missing };
	return BG_OK;
}

enum bg_status bg_catalogue_ask(struct bg_catalogue *ret, const struct bg_link_start *start,
				struct bg_arena *arena, struct bg_error *err)
{
	struct bg_forest forest = { .fenced_count = 0 };
	struct bg_link_start alone = *start;
	struct bg_link link;
	alone.forest = &forest;
	enum bg_status status = bg_link_open(&link, &alone, arena, err);
	if (status != BG_OK)
		return status;
	status = bg_catalogue_read(ret, &link, start->timeout_s, arena, err);
	bg_link_close(&link);
	return status;
}
