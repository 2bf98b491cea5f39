// The ceiling: what a Worker in front of an object can do at all. It reads the body, calls the object, answers.
import { DurableObject } from 'cloudflare:workers'

interface Env {
  SITES: DurableObjectNamespace<Site>
}

export class Site extends DurableObject {
  create(_body: unknown): void {}
}

export default {
  async fetch(request: Request, { SITES }: Env): Promise<Response> {
    const body = await request.json()
    await SITES.getByName('demo').create(body)
    return Response.json({ status: 'CREATED' })
  },
}
