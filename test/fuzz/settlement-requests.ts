// Imports and deletions of settlement files, most of them with some bytes of the file changed.
import { encode } from '../support/settlement/files.ts'
import { KITS } from '../support/settlement/kits.ts'
import { zipOf } from '../support/settlement/zip.ts'
import type { Draw, Site } from './draw.ts'
import type { Request } from './request.ts'
import { changedBytes, rowsOf } from './settlement.ts'
import { anyOf } from './values.ts'

/** By the name of the kit. */
const QUERIES: Record<string, string> = {
  'T-Bank': 'bank=tbank&format=registry',
  Raiffeisenbank: 'bank=raiffeisen&format=registry',
  'Pay Gateway': 'bank=tochka-pay&format=registry',
  Tochka: 'bank=tochka&format=registry',
  '1C': 'bank=raiffeisen&format=statement',
}
const TYPES = ['text/csv', 'text/plain', 'application/json'] as const

/** @param site of a bank: a test site has no settlement */
export function settlementFile(draw: Draw, site: Site): Request {
  const { random } = draw
  const headers: Request['headers'] = [
    ['Host', draw.world.host],
    draw.authorization({ ...draw.claims(site, 'merchant:admin') }),
  ]
  const target = `/payin/v1/sites/${site.siteId}/settlements/file-${random.below(30)}`
  if (random.chance(0.15)) return { method: 'DELETE', target, headers }
  const [first, ...rest] = KITS
  if (!first) throw new Error('there are no formats')
  const kit = anyOf(random, [first, ...rest])
  const whole = encode(kit.text(rowsOf(random), 0), kit.encoding)
  const isZip = random.chance(0.15)
  const packed = isZip ? zipOf([{ content: whole, hasDescriptor: random.chance(0.5) }]) : whole
  const query = random.chance(0.1)
    ? anyOf(random, ['', 'bank=tbank', 'bank=tochka&format=statement'])
    : undefined
  return {
    ...{ method: 'PUT', target: `${target}?${query ?? QUERIES[kit.name]}` },
    headers: [
      ...headers,
      ['Content-Type', isZip && random.chance(0.9) ? 'application/zip' : anyOf(random, TYPES)],
    ],
    body: Buffer.from(random.chance(0.6) ? changedBytes(random, packed) : packed),
  }
}
