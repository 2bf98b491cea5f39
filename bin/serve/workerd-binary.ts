// The path of the workerd that npm installed.
import { createRequire } from 'node:module'
import * as z from 'zod'

/** The native binary, whether or not the package's install script ran. */
export function workerdBinary(): string {
  // The runner of Vitest's global setup has no import.meta.resolve.
  const require = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  return z.object({ default: z.string() }).parse(require('workerd')).default
}
