#!/bin/sh
# Runs workerd with the FIFO of bin/state-lock.ts open for reading: the state directory is locked as long as workerd lives.
[ -p "$STATE_LOCK/workerd.fifo" ] || exit 1
# Opened for writing too, or the open would wait for a writer.
exec 9<>"$STATE_LOCK/workerd.fifo"
echo $$ >>"$STATE_LOCK/pids"
exec "$WORKERD" "$@"
