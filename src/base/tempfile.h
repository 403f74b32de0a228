/* Files that must not outlive this process: kept in a list until they have a name of their own or
 * are gone, so that a signal, a panic or an early exit can remove them. Of the process that listed
 * them: a child that was forked removes none of its parent's. */
#ifndef BASE_TEMPFILE_H
#define BASE_TEMPFILE_H

#include "base/common.h"

/* Lists a file, or a folder with the files in it (absolute, or the process keeps its directory). */
void tempfile_add(const char *path);
/* It was renamed or removed. */
void tempfile_forget(const char *path);
/* Removes everything listed, the last first; async-signal-safe. */
void tempfile_remove_all(void);
/* Removes a folder and the files in it, if it is there. */
void tempfile_remove_folder(const char *folder);

#endif
