// The log: lines of JSON in the shape of the service's own. Never a secret, a token, a body or a payer's data.

/** `error`: somebody must act; `warning`: somebody should look. */
export type LogLevel = 'info' | 'warning' | 'error'
export type Fields = Record<string, string | number | boolean | undefined>
/** @param message what happened, in words that stay the same */
export type Log = (level: LogLevel, message: string, fields?: Fields) => void

/** @param write takes one line */
export const jsonLog =
  (now: () => number, write: (line: string) => void): Log =>
  (level, message, fields = {}) =>
    write(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...fields }))

/** What is logged of an error: its message and the cause that the runtime states, at most 300 characters. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return (error.message + cause).slice(0, 300)
}
