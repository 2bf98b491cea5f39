import { DurableObject } from 'cloudflare:workers'

export class Site extends DurableObject {}

export default { fetch: () => new Response('ok') }
