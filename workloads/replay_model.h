#ifndef BG_WORKLOADS_REPLAY_MODEL_H
#define BG_WORKLOADS_REPLAY_MODEL_H
/*
 * A seeded model of a noisy machine on a virtual clock: what golden tests and the evaluation of the
 * verdict run on. Every number is a function of (seed, launch, arm, step), whatever was asked
 * before; sds and shifts are of natural logarithms of times, so .01 is about 1 %.
 */
#include <stdbool.h>
#include <stdint.h>

struct bg_replay_model {
	double duration_s;  /* of a call on the quiet machine */
	double session_sd;  /* of the level of a whole session, both arms alike */
	double level_sd;    /* of the level of a launch, both arms alike */
	double launch_sd;   /* of head/base between launches */
	double step_sd;	    /* of one step */
	double drift;	    /* change of the level over 24 launches, both arms alike */
	double correlation; /* lag-1, of the launches' head/base */
	double wild_share;  /* of launches whose head/base is five times as noisy */
	double spike_share; /* of steps that take spike_factor times as long */
	double spike_factor;
	double bimodal_share; /* of launches in which head is slower by bimodal_gap */
	double bimodal_gap;
	double position;     /* how much slower the second of a pair is */
	double slowdown;     /* of head: planted */
	double slow_share;   /* of head's steps that are slower; 1: all of them */
	double memory_bytes; /* peak; 0: not reported */
	double memory_sd;
	double memory_growth; /* of head: planted */
	double memory_share;  /* of head's launches that are larger; 1: all of them */
};

/* Where in a session a number is wanted. */
struct bg_replay_point {
	uint64_t seed;	 /* of the session and case */
	unsigned launch; /* over the whole session, from 0 */
	bool head;
	uint64_t step; /* within the launch, from 0 */
	bool second;   /* of its pair */
};

/* Seconds of one call. > 0. cost: O(launch) with correlation, else constant */
double bg_replay_time_s(const struct bg_replay_model *model, const struct bg_replay_point *point);
/* Peak memory of a launch, whole pages; step is not read. */
double bg_replay_memory_bytes(const struct bg_replay_model *model,
			      const struct bg_replay_point *point);
#endif
