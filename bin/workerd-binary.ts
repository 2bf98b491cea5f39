// The path of the workerd that npm installed.
import { createRequire } from 'node:module'
import * as z from 'zod'

/** The native binary itself, where the package's install script ran or did not. */
export function workerdBinary(): string {
  const require = createRequire(import.meta.resolve('miniflare'))
  return z.object({ default: z.string() }).parse(require('workerd')).default
}
