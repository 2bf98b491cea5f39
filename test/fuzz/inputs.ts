// The inputs to the service: each is drawn from the seed, by the grammar of whatever reads it.
import type { Random } from '../support/random.ts'
import { Draw, keyOf, type Site, type World } from './draw.ts'
import { consolePage, form, link } from './pages.ts'
import { raw } from './raw.ts'
import type { Request } from './request.ts'
import { settlementFile } from './settlement-requests.ts'
import { anyOf } from './values.ts'
import type { Bytes } from './wire.ts'
import { withBody, withCursor, withHeaders, withPath, withQuery, withToken } from './wrong-requests.ts'

export type Sent = { request: Request } | { bytes: Bytes }

export interface Input {
  kind: Kind
  siteId: string
  /** The key of its token. */
  keyId: string
  sent: Sent
}

/** The kinds of inputs to the service, and how often each comes. */
const WEIGHTS = {
  ...{ body: 22, query: 12, path: 9, headers: 12, token: 12, right: 6, cursor: 4, link: 8, form: 8 },
  ...{ console: 6, raw: 3, settlement: 3 },
}
export type Kind = keyof typeof WEIGHTS

export class Inputs {
  readonly #draw: Draw

  constructor(random: Random, world: World, batch: number) {
    this.#draw = new Draw(random, world, batch)
  }

  next(): Input {
    const { random, batch } = this.#draw
    const kind = random.weighted(WEIGHTS)
    const site = this.#site(kind)
    const { siteId, session } = site
    const sent = this.#make(kind, site)
    const isSession = 'request' in sent && sent.request.target.startsWith('/console/')
    return { kind, siteId, keyId: isSession ? session.keyId : keyOf(batch, siteId), sent }
  }

  /** Requests that cost the banks' part something come seldom. */
  #site(kind: Kind): Site {
    const { random, world } = this.#draw
    const isTest = ({ siteId }: Site) => siteId.endsWith('-test')
    const isWanted = (site: Site) =>
      kind === 'settlement' ? !isTest(site) : isTest(site) || (kind !== 'right' && random.chance(0.1))
    return anyOf(random, world.sites.filter(isWanted))
  }

  #make(kind: Kind, site: Site): Sent {
    const draw = this.#draw
    const operation = anyOf(draw.random, draw.operations)
    switch (kind) {
      case 'right':
        return { request: draw.right(operation, site) }
      case 'body':
        return { request: withBody(draw, site) }
      case 'query':
        return { request: withQuery(draw, draw.readable(), site) }
      case 'path':
        return { request: withPath(draw, operation, site) }
      case 'headers':
        return { request: withHeaders(draw, operation, site) }
      case 'token':
        return { request: withToken(draw, operation, site) }
      case 'cursor':
        return { request: withCursor(draw, site) }
      case 'link':
        return { request: link(draw, site) }
      case 'form':
        return { request: form(draw, site) }
      case 'console':
        return { request: consolePage(draw, site) }
      case 'settlement':
        return { request: settlementFile(draw, site) }
      case 'raw':
        return { bytes: raw(draw, operation, site) }
    }
  }
}
