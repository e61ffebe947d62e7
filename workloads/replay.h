#ifndef BG_WORKLOADS_REPLAY_H
#define BG_WORKLOADS_REPLAY_H
/* The built-in workload `replay`: the model's axes, and a model from a request's axes. */
#include "gate/wire/message.h"
#include "workloads/replay_model.h"

extern const struct bg_workload_info bg_replay_info;

enum bg_replay_trouble { BG_TROUBLE_NONE, BG_TROUBLE_BASE, BG_TROUBLE_HEAD, BG_TROUBLE_BOTH };

struct bg_replay {
	struct bg_replay_model model;
	enum bg_replay_trouble fail;  /* whose steps fail */
	enum bg_replay_trouble crash; /* whose worker dies in a step */
	enum bg_replay_trouble wrong; /* whose result is incorrect */
	struct bg_replay_point at;    /* the next step */
};

/* BG_E_INPUT: an axis that does not exist or a value out of its range. */
BG_MUST_CHECK enum bg_status bg_replay_prepare(struct bg_replay *ret,
					       const struct bg_request *request,
					       struct bg_error *err);
/* Whether the trouble befalls this arm. */
bool bg_replay_befalls(enum bg_replay_trouble trouble, bool head);
#endif
