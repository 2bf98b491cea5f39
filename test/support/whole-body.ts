// The body of a request whose sender can be killed amid it.
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

/** @returns undefined where the body does not end */
export const wholeBody = (request: IncomingMessage): Promise<string | undefined> =>
  text(request).catch(() => undefined)
