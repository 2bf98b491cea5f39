// A file system without a free byte.
import { open } from 'node:fs/promises'
import * as z from 'zod'

const LARGEST = 1 << 20
const NoSpace = z.object({ code: z.literal('ENOSPC') })

/** Appends to a file until its file system takes nothing more. Other work of this process continues during the writes. */
export async function fillDisk(file: string): Promise<void> {
  await using handle = await open(file, 'a')
  for (let size = LARGEST; size >= 1; ) {
    const written = await handle.write(Buffer.alloc(size)).then(({ bytesWritten }) => bytesWritten, noneOf)
    // Somebody else can free space meanwhile.
    size = written < size ? Math.floor(size / 2) : Math.min(size * 2, LARGEST)
  }
}

function noneOf(error: unknown): number {
  if (NoSpace.safeParse(error).success) return 0
  throw error
}
