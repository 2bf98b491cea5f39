// Who asks for a page: a person's browser, or a program.
import type { Context } from 'hono'
import { admits } from '../http/negotiation.ts'

/** Whether the client is a person's browser: it names HTML, and a program does not. */
export function isPerson(c: Context): boolean {
  const accept = c.req.header('Accept') ?? ''
  return /text\/html/i.test(accept) && admits(accept, 'text/html')
}
