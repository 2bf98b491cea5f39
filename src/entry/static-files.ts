// The static files of the deployment: bindings of bare workerd, or Cloudflare's.
import type { Platform } from '../gateway/context.ts'

/** @param env has on bare workerd the headers of the files, and their contents by path; otherwise ASSETS */
export function staticFiles(
  env: Partial<Cloudflare.Env>,
): Pick<Platform, 'docs' | 'asset'> & Required<Pick<Platform, 'file'>> {
  const { FILES = {}, DOCS, ASSETS } = env
  const bindings = new Map<string, unknown>(Object.entries(env))
  const file = (path: string) => {
    const headers = FILES[path]
    const content = bindings.get(path)
    return headers && content instanceof ArrayBuffer ? { headers, content } : undefined
  }
  return {
    file,
    docs: DOCS,
    async asset(path) {
      const found = file(path)
      if (found) return new Response(found.content)
      // The host is not resolved.
      return ASSETS ? ASSETS.fetch(`https://assets.invalid${path}`) : new Response(null, { status: 404 })
    },
  }
}
