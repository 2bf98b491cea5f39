// The audit: which acts it has, by whom, and that nothing takes a row away.
import { runInDurableObject } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { AUDIT } from '../../src/contract/site-id.ts'
import { freshSite } from '../support/admin.ts'
import { type Call, type Fetch, textIn } from '../support/client.ts'
import { browserOf } from '../support/console.ts'
import { refundingSite } from '../support/refunds.ts'
import { restart } from '../support/restart.ts'
import { auditThat, call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const object = () => exports.Audit.getByName(AUDIT)
const asOperator = async (below: string, more: Call = {}, fetch?: Fetch, jti = 'k-anna') =>
  call(
    `/operator/v1${below}`,
    { token: await tokenOf({ sub: '*', scope: 'operator', jti, label: 'anna' }), ...more },
    fetch,
  )
const pageOf = async (query = '') =>
  strict(AuditAnswer).parse(await (await asOperator(`/audit${query}`)).json())
/** The rows of a site, the oldest first. */
const rowsOf = async ({ siteId }: { siteId: string }) =>
  (await pageOf(`?siteId=${siteId}&limit=100`)).rows.toReversed()
const outcomes = async (site: { siteId: string }) =>
  (await rowsOf(site)).map(({ act, result, details }) => [act, result, details])

const UNWRITABLE = serviceWith({
  audit: () => auditThat(() => Promise.reject(new Error('the disk is gone'))),
})

/** Each act on a site: its request, and what the audit says was asked. */
const ACTS: [string, string, (site: { siteId: string }) => Call, object][] = [
  ['site.resume', '/resume', () => ({ method: 'POST' }), {}],
  ['site.export', '/export', () => ({}), {}],
  [
    'site.limits',
    '/limits',
    () => ({ method: 'PUT', body: { maxPayment: { value: 5 } } }),
    { maxPayment: '5.00 RUB' },
  ],
  ['instruction.send', '/instructions/a-1/send', () => ({ method: 'POST' }), { instructionId: 'a-1' }],
  ['site.delete', '', ({ siteId }) => ({ method: 'DELETE', body: { siteId, force: true } }), { force: true }],
]

describe('an act', () => {
  it.each(ACTS)('%s has a row of its intent, and one of its result', async (act, below, more, details) => {
    const site = freshSite()
    await site.make()
    const answer = await asOperator(`/sites/${site.siteId}${below}`, more(site))
    await textIn(answer)
    const refused = act === 'instruction.send'
    const common = { act, siteId: site.siteId, keyId: 'k-anna', label: 'anna', dateTime: expect.any(String) }
    const rows = await rowsOf(site)
    const first = rows[0]?.number ?? 0
    expect(rows).toEqual([
      { ...common, number: first, details, result: 'STARTED' },
      {
        ...common,
        number: first + 1,
        intent: first,
        ...(refused
          ? { details: { ...details, errorCode: 'payin.resource.not.found' }, result: 'REFUSED' }
          : { details, result: 'DONE' }),
      },
    ])
  })

  it.each(ACTS)(
    '%s whose intent cannot be written is refused: 503, and nothing happens',
    async (_, below, more) => {
      const site = refundingSite()
      await site.make()
      await runInDurableObject(
        site.stub,
        (__, { storage: { sql } }) => void sql.exec('UPDATE site SET restored = 1'),
      )
      const answer = await asOperator(`/sites/${site.siteId}${below}`, more(site), UNWRITABLE)
      expect([answer.status, (await errorOf(answer)).errorCode]).toEqual([503, 'service.unavailable'])
      const { restored } = await (await asOperator(`/sites/${site.siteId}`)).json<{ restored: boolean }>()
      expect(restored).toBe(true)
      expect(await rowsOf(site)).toEqual([])
    },
  )

  it('key.revoke is of no site, and names the key', async () => {
    const id = crypto.randomUUID()
    await asOperator(`/keys/${id}`, { method: 'DELETE' })
    const { rows } = await pageOf('?key=k-anna&limit=2')
    expect(rows.map(({ act, siteId, details, result }) => [act, siteId, details, result])).toEqual([
      ['key.revoke', undefined, { revokedKeyId: id }, 'DONE'],
      ['key.revoke', undefined, { revokedKeyId: id }, 'STARTED'],
    ])
  })

  it('key.revoke says whose key it was, where the key was used with a label', async () => {
    const [jti, label] = [crypto.randomUUID(), 'boris']
    await asOperator('/keys', { token: await tokenOf({ sub: '*', jti, scope: 'operator', label }) })
    const revoke = () => asOperator(`/keys/${jti}`, { method: 'DELETE' })
    for (const response of [await revoke(), await revoke()]) expect(response.status).toBe(204)
    const { rows } = await pageOf('?key=k-anna&limit=4')
    const details = { revokedKeyId: jti }
    const named = { ...details, revokedLabel: label }
    expect(rows.map((row) => row.details)).toEqual([named, details, named, details])
  })

  it('that is refused for its fields, its token or its scope is none', async () => {
    const site = freshSite()
    await site.make()
    const at = `/sites/${site.siteId}`
    await asOperator(at, { method: 'DELETE', body: { siteId: 1 } })
    await asOperator(`${at}/resume`, { method: 'POST', token: null })
    await asOperator(`${at}/resume`, { method: 'POST', token: await tokenOf({ sub: site.siteId }) })
    await asOperator(`${at}/export?cursor=x`)
    expect(await rowsOf(site)).toEqual([])
  })

  it('that was refused says why', async () => {
    const site = freshSite()
    await site.make()
    const answer = await asOperator(`/sites/${site.siteId}`, {
      method: 'DELETE',
      body: { siteId: site.siteId },
    })
    expect(answer.status).toBe(409)
    expect((await outcomes(site)).at(-1)).toEqual([
      'site.delete',
      'REFUSED',
      { force: false, errorCode: 'payin.incorrect-method-invocation' },
    ])
  })

  it('whose object fails is FAILED', async () => {
    const site = freshSite()
    await site.make()
    const failing = serviceWith({
      site: () => {
        throw new Error('a defect')
      },
    })
    expect((await asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' }, failing)).status).toBe(500)
    expect((await outcomes(site)).at(-1)).toEqual(['site.resume', 'FAILED', { errorCode: 'internal.error' }])
  })

  it('happened even where its result cannot be written: the answer is its own, and the log says so', async () => {
    const site = freshSite()
    await site.make()
    const lines: string[] = []
    const real = object()
    const fetch = serviceWith({
      audit: () => ({
        ...auditThat(() => Promise.reject(new Error('not now'))),
        list: (query) => real.list(query),
        add: async (row) => {
          if (row.result !== 'STARTED') throw new Error('not now')
          return real.add(row)
        },
      }),
      log: (line) => lines.push(line),
    })
    expect((await asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' }, fetch)).status).toBe(200)
    expect((await outcomes(site)).map(([, result]) => result)).toEqual(['STARTED'])
    expect(lines.some((line) => line.includes('the result of an act is not in the audit'))).toBe(true)
  })

  it('is not the HEAD of an export, which gives nothing', async () => {
    const site = freshSite()
    await site.make()
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'k-anna' })
    const heads = [
      await asOperator(`/sites/${site.siteId}/export`, { method: 'HEAD' }),
      await browser.head(`/operator/sites/${site.siteId}/export`),
    ]
    for (const head of heads) expect([head.status, await textIn(head)]).toEqual([200, ''])
    expect(await rowsOf(site)).toEqual([])
  })

  it('an export that its client leaves has FAILED', async () => {
    const site = freshSite()
    await site.make()
    const answer = await asOperator(`/sites/${site.siteId}/export`)
    await answer.body?.cancel()
    await vi.waitFor(async () =>
      expect((await outcomes(site)).at(-1)?.slice(0, 2)).toEqual(['site.export', 'FAILED']),
    )
  })

  it('of the console is in it too, and both are in the log without a token', async () => {
    const site = freshSite()
    await site.make()
    const lines: string[] = []
    const browser = browserOf(serviceWith({ log: (line) => lines.push(line) }))
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'k-boris', label: 'boris' })
    await browser.post(`/operator/sites/${site.siteId}/resume`)
    const rows = await rowsOf(site)
    expect(rows.map(({ keyId, label, result }) => [keyId, label, result])).toEqual([
      ['k-boris', 'boris', 'STARTED'],
      ['k-boris', 'boris', 'DONE'],
    ])
    const Line = z.object({
      message: z.string().optional(),
      act: z.string().optional(),
      label: z.string().optional(),
    })
    const logged = lines
      .map((line) => Line.parse(JSON.parse(line)))
      .filter(({ message }) => message === 'audit')
    expect(logged).toEqual([
      { message: 'audit', act: 'site.resume', label: 'boris' },
      { message: 'audit', act: 'site.resume', label: 'boris' },
    ])
    await browser.post(`/operator/sites/${site.siteId}/delete`, { siteId: site.siteId })
    const page = await (await browser.get(`/operator/audit?siteId=${site.siteId}&lang=en`)).text()
    const text = page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    const [resumed, deleted] = await rowsOf(site).then((all) => [all[0]?.number, all[2]?.number])
    // An act and its result are one line, whose key is whole.
    for (const said of [
      `${resumed}, ${Number(resumed) + 1} Site resumed ${site.siteId} boris k-boris Done`,
      `${deleted}, ${Number(deleted) + 1} Site deleted ${site.siteId} boris k-boris Refused Even with payable QR codes and instructions: no Refused with: payin.incorrect-method-invocation`,
    ])
      expect(text).toContain(said)
    expect(text).not.toContain('Started')
  })
})

describe('the list', () => {
  it('is read page by page, newest first, each row once', async () => {
    const site = freshSite()
    await site.make()
    for (let i = 0; i < 5; i++) await asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' })
    const read: number[] = []
    for (let cursor = ''; ; ) {
      const page = await pageOf(`?siteId=${site.siteId}&limit=3${cursor}`)
      expect(page.rows.length).toBeLessThanOrEqual(3)
      read.push(...page.rows.map(({ number }) => number))
      if (page.nextCursor === undefined) break
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(read).toEqual((await rowsOf(site)).map(({ number }) => number).toReversed())
    expect(read).toHaveLength(10)
  })

  it('is filtered by key and time, both ends included', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-01-02T10:00:00Z') })
    const site = freshSite()
    await site.make()
    const resume = (jti: string) =>
      asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' }, undefined, jti)
    await resume('k-1')
    vi.setSystemTime(Date.now() + 1000)
    await resume('k-2')
    const keysBy = async (query: string) => [
      ...new Set((await pageOf(`?siteId=${site.siteId}&${query}`)).rows.map(({ keyId }) => keyId)),
    ]
    expect(await keysBy('key=k-1')).toEqual(['k-1'])
    expect(await keysBy('from=2027-01-02T10:00:01Z')).toEqual(['k-2'])
    expect(await keysBy('to=2027-01-02T10:00:00Z')).toEqual(['k-1'])
    expect(await keysBy('from=2027-01-02T10:00:00Z&to=2027-01-02T10:00:01Z')).toEqual(['k-2', 'k-1'])
    // Parts of a second are cut off: rows have whole ones.
    expect(await keysBy('from=2027-01-02T13:00:00.999%2B03:00&to=2027-01-02T10:00:00.001Z')).toEqual(['k-1'])
    vi.useRealTimers()
  })

  it.each([
    'limit=0',
    'limit=101',
    'from=yesterday',
    'from=2027-01-02',
    'to=2027-01-02T10:00:00',
    'siteId=a%20b',
    'key=',
    'cursor=%25',
    'act=site.delete',
  ])('?%s: 400', async (query) => {
    const answer = await asOperator(`/audit?${query}`)
    expect([answer.status, (await errorOf(answer)).errorCode]).toEqual([400, 'validation.error'])
  })

  it('is for operators alone: 403', async () => {
    for (const claims of [
      { sub: 'demo', scope: 'merchant:admin' },
      { sub: 'demo', scope: 'operator' },
    ])
      expect((await call('/operator/v1/audit', { token: await tokenOf(claims) })).status).toBe(403)
  })
})

it.each(['UPDATE acts SET label = NULL', 'DELETE FROM acts', "UPDATE acts SET result = 'REFUSED'"])(
  'the table itself refuses %s',
  async (statement) => {
    const site = freshSite()
    await site.make()
    await asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' })
    const before = await rowsOf(site)
    await expect(
      runInDurableObject(object(), (_, { storage }) => storage.sql.exec(statement).toArray()),
    ).rejects.toThrow(/a row of the audit is not (changed|deleted)/)
    expect(await rowsOf(site)).toEqual(before)
  },
)

it('no restart, failure or deletion takes an act away: every act that was answered is there, with its intent', async () => {
  const step = fc.constantFrom('resume', 'export', 'send', 'restart audit', 'restart site', 'lost answer')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const site = freshSite()
      await site.make()
      const expected: string[] = []
      let isLost = false
      const real = object()
      // The call is carried out, and its answer is lost: it is repeated.
      const fetch = serviceWith({
        audit: () => ({
          list: (query) => real.list(query),
          add: async (row) => {
            const number = await object().add(row)
            if (!isLost) return number
            isLost = false
            throw Object.assign(new Error('lost'), { retryable: true })
          },
        }),
        sleep: async (milliseconds) => {
          if (milliseconds > 1000) await new Promise(() => {})
        },
      })
      const at = (below: string, more: Call = {}) => asOperator(`/sites/${site.siteId}${below}`, more, fetch)
      for (const each of steps) {
        if (each === 'restart audit') await restart(object)
        else if (each === 'restart site') await restart(() => env.SITES.getByName(site.siteId))
        else if (each === 'lost answer') isLost = true
        else {
          if (each === 'resume') expect((await at('/resume', { method: 'POST' })).status).toBe(200)
          else if (each === 'export') await textIn(await at('/export'))
          else expect((await at('/instructions/a-1/send', { method: 'POST' })).status).toBe(404)
          const act = { resume: 'site.resume', export: 'site.export', send: 'instruction.send' }[each]
          expected.push(`${act} STARTED`, `${act} ${each === 'send' ? 'REFUSED' : 'DONE'}`)
        }
      }
      const rows = await rowsOf(site)
      expect(rows.map(({ act, result }) => `${act} ${result}`)).toEqual(expected)
      for (const [i, { number, intent }] of rows.entries())
        if (intent !== undefined) expect(rows[i - 1]?.number).toBe(intent)
        else expect(number).toBeGreaterThan(rows[i - 1]?.number ?? 0)
    }),
    { numRuns: 10 },
  )
})

describe('a row', () => {
  it('of a later version of the service is shown in the list and on the page, and fails neither', async () => {
    const site = freshSite()
    await site.make()
    await asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' })
    await runInDurableObject(object(), (_, { storage: { sql } }) =>
      sql
        .exec(
          `INSERT INTO acts (number, uid, at, act, site_id, key_id, details, result)
           SELECT max(number) + 1, 'later', 1, 'site.paint', ?, 'k-anna', '{"colour":"<red>"}', 'PAUSED' FROM acts`,
          site.siteId,
        )
        .toArray(),
    )
    const rows = await rowsOf(site)
    expect(rows.map(({ act, result }) => [act, result])).toEqual([
      ['site.resume', 'STARTED'],
      ['site.resume', 'DONE'],
      ['site.paint', 'PAUSED'],
    ])
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'k-anna' })
    const page = await (await browser.get(`/operator/audit?siteId=${site.siteId}`)).text()
    for (const said of ['site.paint', 'PAUSED', 'colour:', '&lt;red&gt;']) expect(page).toContain(said)
  })

  it('without its result on the page says that the act may have happened', async () => {
    const site = freshSite()
    await site.make()
    const fetch = serviceWith({
      audit: () => ({
        ...auditThat(() => Promise.reject(new Error('not now'))),
        add: async (row) => {
          if (row.result !== 'STARTED') throw new Error('not now')
          return object().add(row)
        },
      }),
    })
    await asOperator(`/sites/${site.siteId}/resume`, { method: 'POST' }, fetch)
    const browser = browserOf()
    await browser.signIn({ sub: '*', scope: 'operator', jti: 'k-anna' })
    const page = await (await browser.get(`/operator/audit?siteId=${site.siteId}&lang=en`)).text()
    expect(page).toContain('Started</span>')
    expect(page).toContain('it may have happened')
  })
})
