// The ceiling: what a Worker in front of an object can do at all. It reads the body, calls the object, answers.
import { DurableObject } from 'cloudflare:workers'

interface Env {
  SITES: DurableObjectNamespace<Site>
}

export class Site extends DurableObject {
  create(_order: unknown): void {}
}

export default {
  async fetch(request: Request, { SITES }: Env): Promise<Response> {
    const order = await request.json()
    await SITES.getByName('demo').create(order)
    return Response.json({ status: 'CREATED' })
  },
}
