// The log: a line of JSON for each event. Never a secret, a token, a body or a payer's data.

export type Fields = Record<string, string | number | boolean | undefined>
export type Log = (event: string, fields?: Fields) => void

/** @param write takes one line */
export const jsonLog =
  (now: () => number, write: (line: string) => void): Log =>
  (event, fields = {}) =>
    write(JSON.stringify({ time: new Date(now()).toISOString(), event, ...fields }))

/** What is logged of an error: its message and the cause that the runtime states, at most 300 characters. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, 300)
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return (error.message + cause).slice(0, 300)
}
