// A file system without a free byte.
import { closeSync, openSync, writeSync } from 'node:fs'

/** Appends to a file until its file system takes nothing more. */
export function fillDisk(file: string): void {
  const descriptor = openSync(file, 'a')
  for (let size = 1 << 20; size >= 1; ) {
    try {
      if (writeSync(descriptor, Buffer.alloc(size)) < size) size = Math.floor(size / 2)
    } catch {
      size = Math.floor(size / 2)
    }
  }
  closeSync(descriptor)
}
