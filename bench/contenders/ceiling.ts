// The ceiling: what a Worker in front of an object can do at all. It reads the body, calls the site's object, answers.
import { DurableObject } from 'cloudflare:workers'

interface Env {
  SITES: DurableObjectNamespace<Site>
}

export class Site extends DurableObject {
  create(_body: unknown): void {}
  read(): void {}
}

export default {
  async fetch(request: Request, { SITES }: Env): Promise<Response> {
    // http://qr.example/payin/v1/sites/demo
    const [, , , , , , siteId = ''] = request.url.split('/', 7)
    const site = SITES.getByName(siteId)
    await (request.method === 'POST' ? site.create(await request.json()) : site.read())
    return Response.json({ status: 'CREATED' })
  },
}
