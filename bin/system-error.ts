// The text of a file system error, such as "permission denied".
import { getSystemErrorMessage } from 'node:util'

/** `permission denied`, for an error of `node:fs`; of another error its message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'errno' in error && typeof error.errno === 'number'
    ? (getSystemErrorMessage(error.errno) ?? error.message)
    : error.message
}
