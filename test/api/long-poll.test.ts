// Held answers: Prefer: wait=N with If-None-Match (contract, section 7; RFC 7240).
import { abortAllDurableObjects, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { cancel, fresh, report } from '../support/qr-codes.ts'
import { call } from '../support/service.ts'

const etagOf = async (path: string) => (await call(path)).headers.get('ETag') ?? ''
const wait = (path: string, etag: string, seconds: number | string) =>
  call(path, { headers: { 'If-None-Match': etag, Prefer: `wait=${seconds}` } })

describe('an ETag', () => {
  it('is strong, stays while nothing changes, and gives 304 without a body', async () => {
    const { path } = await fresh()
    const etag = await etagOf(path)
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(await etagOf(path)).toBe(etag)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await call(path, { headers: { 'If-None-Match': known } })
      expect([response.status, await response.text(), response.headers.get('ETag')]).toEqual([304, '', etag])
    }
  })

  it('is another one after every change of state', async () => {
    const qrCode = await fresh()
    const seen = [await etagOf(qrCode.path)]
    for (const status of ['DECLINED', 'DECLINED', 'COMPLETED']) {
      await report(qrCode, { status })
      const etag = await etagOf(qrCode.path)
      expect(seen).not.toContain(etag)
      expect((await call(qrCode.path, { headers: { 'If-None-Match': seen.join(', ') } })).status).toBe(200)
      seen.push(etag)
    }
  })
})

describe('a held answer', () => {
  it('comes when the state changes, with the new state', async () => {
    const qrCode = await fresh()
    const held = wait(qrCode.path, await etagOf(qrCode.path), 30)
    await report(qrCode)
    const response = await held
    expect([response.status, response.headers.get('Preference-Applied')]).toEqual([200, 'wait=30'])
    expect(await response.json()).toMatchObject({ qrCode: { status: 'PAYED' } })
  })

  it('comes as 304 when the time is over', async () => {
    const { path } = await fresh()
    const response = await wait(path, await etagOf(path), 1)
    expect([response.status, response.headers.get('Preference-Applied')]).toEqual([304, 'wait=1'])
  })

  it('comes at once where the state is another one already', async () => {
    const qrCode = await fresh()
    const etag = await etagOf(qrCode.path)
    await cancel(qrCode)
    const response = await wait(qrCode.path, etag, 60)
    expect(await response.json()).toMatchObject({ qrCode: { status: 'CANCELLED' } })
  })

  it.each([
    ['without If-None-Match', { Prefer: 'wait=30' }, 200],
    ['for an ETag of somebody else', { Prefer: 'wait=30', 'If-None-Match': '"abc"' }, 200],
    ['for no time', { Prefer: 'wait=0', 'If-None-Match': '*' }, 304],
    ['for a time that is none', { Prefer: 'wait=soon', 'If-None-Match': '*' }, 304],
    ['without Prefer', { 'If-None-Match': '*' }, 304],
  ])('is not held %s', async (_, headers, status) => {
    const { path } = await fresh()
    const response = await call(path, { headers })
    expect([response.status, response.headers.has('Preference-Applied')]).toEqual([status, false])
  })

  it('is held for 60 seconds at the most, and among other preferences', async () => {
    const qrCode = await fresh()
    const etag = await etagOf(qrCode.path)
    const long = wait(qrCode.path, etag, 3600)
    const among = call(qrCode.path, {
      headers: { 'If-None-Match': etag, Prefer: 'respond-async, wait="7"; x=1, handling=lenient' },
    })
    await cancel(qrCode)
    expect((await long).headers.get('Preference-Applied')).toBe('wait=60')
    expect((await among).headers.get('Preference-Applied')).toBe('wait=7')
  })

  it('of a hundred waiters: one change answers them all, and only those who wait for it', async () => {
    const [qrCode, other] = [await fresh(), await fresh()]
    const [etag, otherEtag] = [await etagOf(qrCode.path), await etagOf(other.path)]
    const waiters = Array.from({ length: 100 }, () => wait(qrCode.path, etag, 60))
    const patient = wait(other.path, otherEtag, 2)
    await report(qrCode)
    const answers = await Promise.all(waiters.map(async (held) => (await held).json()))
    expect(answers).toHaveLength(100)
    for (const answer of answers) expect(answer).toMatchObject({ qrCode: { status: 'PAYED' } })
    expect((await patient).status).toBe(304)
  })

  it.each([
    ['to be evicted', () => evictDurableObject(env.SITES.getByName('demo'))],
    ['lost', () => abortAllDurableObjects()],
  ])('comes all the same where the object that holds it is %s', async (_, lose) => {
    const qrCode = await fresh()
    const held = wait(qrCode.path, await etagOf(qrCode.path), 8)
    await new Promise((resolve) => setTimeout(resolve, 100))
    // An eviction waits until the answer is given: it takes nothing away from whoever is held.
    const lost = lose()
    await report(qrCode)
    const response = await held
    await lost
    expect(await response.json()).toMatchObject({ qrCode: { status: 'PAYED' } })
  })
})
