// The lines of the log: all have `time` and `level`, and `message` or, of a request, `route`.

/** `error`: somebody must act; `warning`: somebody should look; `notice`: a setting that is probably not meant. */
export type LogLevel = 'info' | 'notice' | 'warning' | 'error'

/**
 * A line, in JSON.
 * @param at Unix milliseconds
 * @param message what happened, in words that stay the same; undefined for a request
 * @param more what else is known
 */
export const logLine = (
  at: number,
  level: LogLevel,
  message: string | undefined,
  more: object = {},
): string => JSON.stringify({ time: new Date(at).toISOString(), level, message, ...more })

/** What failed, as a line has it. */
export const faultOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error)
