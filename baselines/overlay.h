#ifndef BG_BASELINES_OVERLAY_H
#define BG_BASELINES_OVERLAY_H
#include "gate/core/error.h"

/*
 * Makes folder `to` hold what folder `from` holds, modes 0777 and times included: what only `to`
 * has goes, less what is named .git, which stays wherever it is. No link is followed.
 * returns  BG_E_SYSTEM; then `to` is neither
 */
BG_MUST_CHECK enum bg_status bg_overlay(const char *from, const char *to, struct bg_error *err);
#endif
