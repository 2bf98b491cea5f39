// What the service answers to this process, all the time: statuses, times, and what no caller should see.
import * as z from 'zod'

interface Answer {
  time: number
  ms: number
  status: number
  /** A long poll takes as long as it wants to. */
  isTimed: boolean
}

const ErrorBody = z.object({ errorCode: z.string(), description: z.string(), traceId: z.string() })
/** The only error above 499 that the contract gives (section 3). */
export const UNAVAILABLE = 503

/** Whether it is what `fetch` throws where the connection breaks, or nothing listens. */
export const isOfFetch = (error: unknown): boolean => error instanceof TypeError

export class Answers {
  readonly all: Answer[] = []
  /** Requests that got no answer, because nothing listened or the connection broke. */
  unanswered = 0
  /** By status and error code; a 5xx also by its cause. */
  readonly failures = new Map<string, number>()
  /** Answers that the contract does not give. */
  readonly wrong: string[] = []

  /** From now on, requests of this process to the service are recorded. @param addresses of what runs of it @returns what ends it */
  watch(addresses: () => readonly (string | undefined)[]): () => void {
    const send = globalThis.fetch
    // Not `vi.spyOn`: a spy keeps every request. After half an hour garbage collection stops this process for seconds, and with it
    // the bucket, the banks and the merchants' servers.
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      if (!addresses().includes(new URL(request.url).origin)) return send(request)
      const time = Date.now()
      const started = performance.now()
      try {
        const response = await send(request)
        const ms = performance.now() - started
        const isTimed = !request.headers.has('Prefer')
        this.all.push({ time, ms, status: response.status, isTimed })
        if (response.status >= 400) await this.#fail(request, response)
        return response
      } catch (error) {
        this.unanswered++
        throw error
      }
    }
    return () => {
      globalThis.fetch = send
    }
  }

  async #fail(request: Request, response: Response): Promise<void> {
    const { status } = response
    const text = await response.clone().text()
    const { pathname } = new URL(request.url)
    const isPage = response.headers.get('Content-Type')?.startsWith('text/html')
    const body = isPage ? undefined : ErrorBody.safeParse(jsonIn(text)).data
    // Its description can begin with the site.
    const cause = status < 500 || !body ? '' : `: ${body.description.replace(/^site \S+/, 'a site')}`
    const what = `${status} ${isPage ? 'page' : (body?.errorCode ?? 'no error code')}${cause}`
    this.failures.set(what, (this.failures.get(what) ?? 0) + 1)
    const isDocumented = status < 500 || status === UNAVAILABLE
    if (!isDocumented || (!isPage && !body))
      this.wrong.push(`${request.method} ${pathname}: ${status} ${text.slice(0, 300)}`)
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return
  }
}
