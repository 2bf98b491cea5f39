// Static files, where the platform does not serve them before the Worker runs: on bare workerd.
import type { Context } from 'hono'
import type { Platform } from '../gateway/context.ts'
import type { AppEnv } from './app-env.ts'
import { entityTags, isKnown } from './conditional.ts'

/** The file that a request is for; undefined if it is for none. */
export function staticFile(c: Context<AppEnv>, { file }: Pick<Platform, 'file'>): Response | undefined {
  const found = c.req.method === 'GET' || c.req.method === 'HEAD' ? file?.(c.req.path) : undefined
  if (!found) return undefined
  c.set('route', 'static file')
  const { headers, content } = found
  return isKnown(entityTags(c.req.header('If-None-Match')), headers.ETag ?? '')
    ? new Response(null, { status: 304, headers })
    : new Response(content, { headers })
}

/** The page of the documentation site at the request's path; undefined if the site has no such page. */
export async function docsPage(
  c: Context<AppEnv>,
  { docs }: Pick<Platform, 'docs'>,
): Promise<Response | undefined> {
  c.set('route', 'static file')
  const page = await docs?.fetch(c.req.raw)
  return page?.status === 404 ? undefined : page
}
