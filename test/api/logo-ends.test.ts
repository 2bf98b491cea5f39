// A logo outlives neither its removal nor its site, whatever a process has served before (contract, sections 13 and 16).
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { logoPath } from '../../src/gateway/logo-path.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { operator } from '../support/operator.ts'
import { PICTURES } from '../support/pictures.ts'
import { call, refusalIn, serviceWith } from '../support/service.ts'

const pictureOf = (width: number) => Uint8Array.from(PICTURES['image/png']?.(width, 8) ?? [])
const deploymentOf = (days: string) => serviceWith({ settings: { TEST_SITES: 'on', DELETION_DAYS: days } })
const [week, atOnce] = [deploymentOf('7'), deploymentOf('0')]
const SUFFIXES = { 'a live site': '', 'a test site': '-test' }

const upload = (site: FreshSite, width = 8) =>
  site.ask('/settings/logo', {
    method: 'PUT',
    body: pictureOf(width),
    headers: { 'Content-Type': 'image/png' },
  })
const patch = (site: FreshSite, body: object) => site.ask('/settings', { method: 'PATCH', body })
const remove = ({ siteId }: FreshSite, service: typeof week) =>
  operator(`/${siteId}`, { method: 'DELETE', body: { siteId, force: true } }, service)

/** A site with a logo that its process has served, also to a client that keeps it; `served` asks for the logo again. */
async function siteWithLogo(service = week, suffix = '') {
  const site = freshSite(service, suffix)
  const link = (await upload(site)).headers.get('Link') ?? ''
  const path = new URL(/<([^>]*)>/.exec(link)?.[1] ?? '').pathname
  const served = (headers: Record<string, string> = {}) => call(path, { token: null, headers }, service)
  const first = await served()
  expect(first.status).toBe(200)
  return { site, path, served, etag: first.headers.get('ETag') ?? '' }
}

const NOT_FOUND = [404, 'payin.resource.not.found']
const DELETED = [410, 'site.deleted']

describe.each(Object.entries(SUFFIXES))('of %s, a logo that was served', (_, suffix) => {
  it.each<[string, typeof week, (site: FreshSite) => Promise<Response>, unknown[]]>([
    ['removed', week, (site) => site.ask('/settings/logo', { method: 'DELETE' }), NOT_FOUND],
    ['removed by a patch', week, (site) => patch(site, { logoUrl: null }), NOT_FOUND],
    ['replaced', week, (site) => upload(site, 9), NOT_FOUND],
    ['of a site that was deleted', week, (site) => remove(site, week), DELETED],
    ['of a site that was deleted for good', atOnce, (site) => remove(site, atOnce), DELETED],
  ])('and is then %s, is gone, also for a client that has it', async (_name, service, end, refusal) => {
    const { site, served, etag } = await siteWithLogo(service, suffix)
    expect((await end(site)).ok).toBe(true)
    for (const headers of [{}, { 'If-None-Match': etag }, { 'If-None-Match': '*' }]) {
      const response = await served(headers)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(await refusalIn(response)).toEqual(refusal)
    }
  })
})

describe('a logo', () => {
  it('is there again with the site that is restored, and under its own address when it is set again', async () => {
    const { site, served } = await siteWithLogo()
    await remove(site, week)
    await operator(`/${site.siteId}/restore`, { method: 'POST' }, week)
    expect((await served()).status).toBe(200)
    await site.ask('/settings/logo', { method: 'DELETE' })
    expect((await served()).status).toBe(404)
    await upload(site)
    expect((await served()).status).toBe(200)
  })

  it('is kept by caches for ten minutes, and then asked for by its ETag: 304 without a body', async () => {
    const { served, etag, path } = await siteWithLogo()
    expect(etag).toBe(`"${path.split('/')[3]}"`)
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const known = await served({ 'If-None-Match': tags })
      expect([known.status, await known.text(), known.headers.get('ETag')]).toEqual([304, '', etag])
      expect(known.headers.get('Cache-Control')).toBe('public, max-age=600')
    }
    const other = await served({ 'If-None-Match': '"other"' })
    expect([other.status, other.headers.get('ETag')]).toEqual([200, etag])
  })

  it('is counted for the rate limit by its address, whoever has served it', async () => {
    const counted: string[] = []
    const service = serviceWith({
      limiter: {
        limit: async ({ key }) => {
          counted.push(key)
          return { success: counted.length < 3 }
        },
      },
    })
    const { path, site } = await siteWithLogo()
    const statuses = []
    for (let asked = 0; asked < 3; asked++) statuses.push((await call(path, { token: null }, service)).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(new Set(counted)).toEqual(new Set([`link:${site.siteId}:${path.split('/')[3]}`]))
  })

  it('costs one call of its site, and its bytes cross once', async () => {
    const crossed: number[] = []
    const counted = serviceWith({
      site: (siteId) =>
        new Proxy(env.SITES.getByName(siteId), {
          get: (target, name, receiver) =>
            name === 'logo'
              ? async (...given: Parameters<typeof target.logo>) => {
                  const read = await target.logo(...given)
                  crossed.push(read.ok ? (read.value?.content.length ?? 0) : -1)
                  return read
                }
              : Reflect.get(target, name, receiver),
        }),
    })
    const site = freshSite(counted)
    await upload(site)
    const link = (await site.ask('/settings')).headers.get('Link') ?? ''
    const hash = link.split('/')[5] ?? ''
    for (let asked = 0; asked < 3; asked++) {
      const answer = await call(
        `/${logoPath([env.TOKEN_SECRET], site.siteId, hash)}`,
        { token: null },
        counted,
      )
      expect(new Uint8Array(await answer.arrayBuffer())).toEqual(pictureOf(8))
    }
    expect(crossed).toEqual([pictureOf(8).length, 0, 0])
  })
})
