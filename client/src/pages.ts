// Reads lists page by page.
import type { Http } from './http.ts'

/** The pages of a list, each read when it is needed. */
export async function* pages<Page extends { nextCursor?: string }>(
  http: Http,
  path: string,
  query: Record<string, string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Page> {
  for (let cursor: string | undefined; ; ) {
    const parameters = new URLSearchParams({ ...query, ...(cursor !== undefined && { cursor }) })
    const { body } = await http.request<Page>({ path, query: parameters, signal })
    yield body
    if (body.nextCursor === undefined) return
    cursor = body.nextCursor
  }
}
