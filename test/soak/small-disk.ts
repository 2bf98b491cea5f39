// A disk of the soak's own, which is full for seconds.
import { rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillDisk } from '../support/full-disk.ts'
import type { Fault } from './turns.ts'

/** A file system of this size is the soak's own. */
const SMALL_BYTES = 2 ** 30

/** The fault of the disk, where it may be filled. @param aWhile resolves when the disk has been full for long enough */
export function diskFaults(aWhile: () => Promise<void>): Record<string, Fault> {
  const { blocks, bsize } = statfsSync(tmpdir())
  if (blocks * bsize > SMALL_BYTES) return {}
  return {
    'the disk is full': async () => {
      const filler = join(tmpdir(), 'filler')
      await fillDisk(filler)
      await aWhile()
      rmSync(filler)
    },
  }
}
