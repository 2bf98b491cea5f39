// The console's pages as responses.
import { page } from '../web/page.ts'
import { type Frame, frame } from './layout.ts'
import type { Visit } from './visit.ts'

/** A page of a signed-in user. */
export const consolePage = (
  visit: Visit,
  { status = 200, ...content }: Omit<Frame, 'visit' | 'language' | 'root' | 'base'> & { status?: number },
): Promise<Response> => {
  const { c, language, root, base } = visit
  return page(c, frame({ ...content, visit, language, root, base }), { status, forms: true })
}
