// A file system without a free byte.
import { open } from 'node:fs/promises'

/** Appends to a file until its file system takes nothing more. What else runs in this process goes on meanwhile. */
export async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'a')
  for (let size = 1 << 20; size >= 1; ) {
    const { bytesWritten } = await handle.write(Buffer.alloc(size)).catch(() => ({ bytesWritten: 0 }))
    if (bytesWritten < size) size = Math.floor(size / 2)
  }
  await handle.close()
}
