// Changing some settings, and the logo that is uploaded (contract, section 12).
import { describe, expect, it } from 'vitest'
import { isTaxId } from '../../src/contract/tax-id.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { PICTURES } from '../support/pictures.ts'
import { call, errorOf, ORIGIN, serviceWith, tokenOf } from '../support/service.ts'

const FULL = {
  ...{ name: 'Tea', supportContact: 'a@shop.example', color: '#0f6b3c', legalName: 'ООО «Чай»' },
  ...{ taxId: '7707083893', callbackUrl: 'https://shop.example/n', notificationTypes: ['PAYMENT'] },
}
const put = ({ ask }: FreshSite, body: unknown) => ask('/settings', { method: 'PUT', body })
const patch = ({ ask }: FreshSite, body: unknown, headers: Record<string, string> = {}) =>
  ask('/settings', {
    method: 'PATCH',
    body,
    headers: { 'Content-Type': 'application/merge-patch+json', ...headers },
  })
const read = async ({ ask }: FreshSite) => (await ask('/settings')).json<Record<string, unknown>>()
const etagOf = async ({ ask }: FreshSite) => (await ask('/settings')).headers.get('ETag') ?? ''
const changes = async (site: FreshSite) =>
  (await (await site.ask('/events')).json<{ events: unknown[] }>()).events.length

describe('a patch of the settings', () => {
  it.each<[string, object, object]>([
    ['changes what it has, and keeps the rest', { name: 'Coffee' }, { ...FULL, name: 'Coffee' }],
    ['of nothing changes nothing', {}, FULL],
    [
      'removes what is null',
      { name: null, legalName: null, taxId: null, callbackUrl: null },
      { supportContact: FULL.supportContact, color: FULL.color, notificationTypes: ['PAYMENT'] },
    ],
    [
      'gives null types their default',
      { notificationTypes: null },
      { ...FULL, notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'] },
    ],
  ])('%s', async (_, body, expected) => {
    const site = freshSite()
    await put(site, FULL)
    const answer = await patch(site, body)
    expect([answer.status, await answer.json()]).toEqual([200, expected])
    expect(await read(site)).toEqual(expected)
  })

  it.each([
    [{ nmae: 'x' }, 'nmae'],
    [{ name: '' }, 'name'],
    [{ color: '#ffffff' }, 'color'],
    [{ taxId: '7707083894' }, 'taxId'],
    [{ legalName: 'a'.repeat(161) }, 'legalName'],
    [{ callbackUrl: 'http://127.0.0.1/' }, 'callbackUrl'],
    [{ notificationTypes: ['EVENT'] }, 'notificationTypes.0'],
  ])('%j is refused by name, and changes nothing', async (body, field) => {
    const site = freshSite()
    await put(site, FULL)
    const events = await changes(site)
    const answer = await patch(site, { name: 'Coffee', ...body })
    expect([answer.status, Object.keys((await errorOf(answer)).cause ?? {})]).toEqual([400, [field]])
    expect([await read(site), await changes(site)]).toEqual([FULL, events])
  })

  it('of equal values is no change, and no event', async () => {
    const site = freshSite()
    await put(site, FULL)
    const before = [await etagOf(site), await changes(site)]
    expect((await patch(site, { name: 'Tea', taxId: '7707083893' })).status).toBe(200)
    expect([await etagOf(site), await changes(site)]).toEqual(before)
  })

  it('that is concurrent with another one of other fields holds, and so does that one', async () => {
    const site = freshSite()
    await put(site, FULL)
    await Promise.all([
      patch(site, { name: 'A' }),
      patch(site, { supportContact: 'B' }),
      patch(site, { legalName: 'C' }),
    ])
    expect(await read(site)).toEqual({ ...FULL, name: 'A', supportContact: 'B', legalName: 'C' })
  })

  it('with an old If-Match is 412; the same one again, whose answer was lost, is 200', async () => {
    const site = freshSite()
    await put(site, FULL)
    const first = { 'If-Match': await etagOf(site) }
    expect((await patch(site, { name: 'A' }, first)).status).toBe(200)
    expect((await patch(site, { name: 'A' }, first)).status).toBe(200)
    expect((await patch(site, { name: 'B' }, first)).status).toBe(412)
    expect(await read(site)).toEqual({ ...FULL, name: 'A' })
  })

  it('is also application/json, and nothing else: 415 says what', async () => {
    const site = freshSite()
    expect((await patch(site, { name: 'A' }, { 'Content-Type': 'application/json' })).status).toBe(200)
    const refused = await patch(site, { name: 'B' }, { 'Content-Type': 'text/plain' })
    expect([refused.status, refused.headers.get('Accept-Patch')]).toEqual([
      415,
      'application/merge-patch+json, application/json',
    ])
  })

  it('needs the scope merchant:admin', async () => {
    const { ask } = freshSite()
    expect(
      (await ask('/settings', { method: 'PATCH', body: {}, claims: { scope: 'merchant' } })).status,
    ).toBe(403)
  })
})

it.each([
  ['7707083893', true],
  ['500100732259', true],
  ['7707083890', false],
  ['500100732250', false],
  ['500100732359', false],
  // Its last digit checks the others, the one before does not.
  ['500100732273', false],
  ['0000000000', false],
  ['000000000000', false],
  ['77070838933', false],
  [' 7707083893', false],
  ['', false],
])('an INN of %j: %s', (text, expected) => expect(isTaxId(text)).toBe(expected))

const bytesOf = (mediaType: string) => Uint8Array.from(PICTURES[mediaType]?.(64, 64) ?? [])
const PNG = bytesOf('image/png')
/** Inserts a chunk of EXIF behind IHDR. */
const PNG_WITH_EXIF = Uint8Array.from([
  ...PNG.slice(0, 33),
  ...[0, 0, 0, 0, ...new TextEncoder().encode('eXIf'), 0, 0, 0, 0],
  ...PNG.slice(33),
])
/** The same behind the picture, before IEND. */
const PNG_WITH_EXIF_BEHIND = Uint8Array.from([
  ...PNG.slice(0, -12),
  ...[0, 0, 0, 0, ...new TextEncoder().encode('eXIf'), 0, 0, 0, 0],
  ...PNG.slice(-12),
])
const WEBP_WITH_EXIF = Uint8Array.from([
  ...bytesOf('image/webp'),
  ...[...new TextEncoder().encode('EXIF'), 2, 0, 0, 0, 1, 2],
])
const JPEG_WITH_EXIF = Uint8Array.from([
  ...bytesOf('image/jpeg').slice(0, 2),
  ...[0xff, 0xe1, 0, 8, ...new TextEncoder().encode('Exif'), 0, 0],
  ...bytesOf('image/jpeg').slice(2),
])

async function upload(
  site: FreshSite,
  content: BodyInit | null,
  headers: Record<string, string> = {},
  method = 'PUT',
  service = serviceWith({}),
) {
  const token = await tokenOf({ sub: site.siteId, scope: 'merchant:admin' })
  return service(
    new Request(`${ORIGIN}/payin/v1/sites/${site.siteId}/settings/logo`, {
      method,
      body: content,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'image/png', ...headers },
    }),
  )
}
const pictureIn = (response: Response) =>
  /<([^>]+)>; rel="icon"/.exec(response.headers.get('Link') ?? '')?.[1]

describe('an uploaded logo', () => {
  it.each(Object.keys(PICTURES))('of %s is served at the address of Link', async (mediaType) => {
    const site = freshSite()
    const answer = await upload(site, bytesOf(mediaType), { 'Content-Type': mediaType })
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN'] },
    ])
    const address = pictureIn(await site.ask('/settings')) ?? ''
    expect(address).toBe(pictureIn(answer))
    const picture = await call(address.slice(ORIGIN.length), { token: null })
    expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, mediaType])
    expect(new Uint8Array(await picture.arrayBuffer())).toEqual(bytesOf(mediaType))
  })

  it('stays where settings are replaced or patched without logoUrl, and goes by null or DELETE', async () => {
    const site = freshSite()
    const has = async () => pictureIn(await site.ask('/settings')) !== undefined
    await upload(site, PNG)
    await put(site, { name: 'Tea' })
    await patch(site, { name: 'Coffee' })
    expect(await has()).toBe(true)
    await patch(site, { logoUrl: null })
    expect(await has()).toBe(false)
    await upload(site, PNG)
    const removed = await upload(site, null, {}, 'DELETE')
    expect([removed.status, await has()]).toEqual([200, false])
    expect((await upload(site, null, {}, 'DELETE')).status).toBe(200)
  })

  it('takes the place of logoUrl, and logoUrl takes its place', async () => {
    const site = freshSite()
    const other = bytesOf('image/jpeg')
    const service = serviceWith({ fetch: async () => new Response(other) })
    const set = () =>
      site.ask('/settings', { method: 'PATCH', body: { logoUrl: 'https://shop.example/l.jpg' } }, service)
    const fetched = pictureIn(await set())
    const uploaded = pictureIn(await upload(site, PNG))
    expect(await read(site)).not.toHaveProperty('logoUrl')
    expect([fetched === uploaded, pictureIn(await set()) === fetched]).toEqual([false, true])
    expect(await read(site)).toHaveProperty('logoUrl')
  })

  it('changes the ETag of the settings and makes an event; an equal one does neither', async () => {
    const site = freshSite()
    await put(site, FULL)
    const before = [await etagOf(site), await changes(site)] as const
    await upload(site, PNG, { 'If-Match': before[0] })
    const after = [await etagOf(site), await changes(site)] as const
    expect([after[0] === before[0], after[1] - before[1]]).toEqual([false, 1])
    expect((await upload(site, PNG, { 'If-Match': before[0] })).status).toBe(200)
    expect([await etagOf(site), await changes(site)]).toEqual(after)
    expect((await upload(site, bytesOf('image/webp'), { 'If-Match': before[0] })).status).toBe(412)
    expect((await upload(site, null, { 'If-Match': '"other"' }, 'DELETE')).status).toBe(412)
  })

  it.each<[string, BodyInit, Record<string, string>, number]>([
    ['with EXIF, PNG', PNG_WITH_EXIF, {}, 400],
    ['with EXIF behind the picture, PNG', PNG_WITH_EXIF_BEHIND, {}, 400],
    ['with EXIF, JPEG', JPEG_WITH_EXIF, {}, 400],
    ['with EXIF, WebP', WEBP_WITH_EXIF, {}, 400],
    ['that is no picture', 'hello', {}, 400],
    ['that is empty', '', {}, 400],
    ['that is too large', new Uint8Array(256 * 1024 + 1), {}, 413],
    ['of another type', PNG, { 'Content-Type': 'image/gif' }, 415],
  ])('%s is refused, and changes nothing', async (_, content, headers, status) => {
    const site = freshSite()
    await put(site, FULL)
    const before = await etagOf(site)
    const answer = await upload(site, content, headers)
    expect([answer.status, await etagOf(site)]).toEqual([status, before])
    if (content === PNG_WITH_EXIF) expect(JSON.stringify(await answer.json())).toContain('it carries EXIF')
  })
})
