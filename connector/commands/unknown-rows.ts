// What a command says of rows that only a later version can read.
import type { Disk } from '../disk/disk.ts'

/** A line for each table that has some. */
export const unknownRowsOf = (disk: Disk): string[] =>
  disk
    .countUnknown()
    .map(
      ({ table, count }) =>
        `${table}: ${count} of a later version of the connector are left out: run that version`,
    )
