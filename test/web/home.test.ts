// The addresses outside the API: the home page, the documentation, the document, the health.
import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { QR_CODE_EXAMPLE, QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { parseLink } from '../../src/fps/link.ts'
import type { Platform } from '../../src/gateway/context.ts'
import { call, ORIGIN, serviceWith } from '../support/service.ts'

const get = (path: string, Accept = '') => call(path, { token: null, headers: { Accept } })

describe('the home page', () => {
  it.each(['', '*/*', 'application/json'])('tells a program in JSON (Accept: %j)', async (accept) => {
    const response = await get('/', accept)
    expect(response.headers.get('Content-Type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      documentation: '/docs',
      openapi: '/openapi.json',
      health: '/healthz',
    })
  })

  it('tells a person in HTML', async () => {
    const response = await get('/', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
    expect(await response.text()).toContain('href="/docs"')
  })
})

describe('the documentation', () => {
  it('loads from this origin alone, and nothing inline may run', async () => {
    const response = await get('/docs')
    const page = await response.text()
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(page).not.toMatch(/https?:\/\//)
    expect(page).not.toMatch(/<script>|<style|style=|\son\w+=/)
  })
})

describe('the document', () => {
  it('is OpenAPI 3.1, with every field of the contract', async () => {
    const response = await get('/openapi.json')
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      servers: [{ url: ORIGIN }],
    })
    for (const field of [
      'qrCodeUid',
      'qrCode',
      'type',
      'ttl',
      'image',
      'mediaType',
      'width',
      'height',
      'content',
      'payload',
      'status',
      'amount',
      'value',
      'currency',
      'paymentPurpose',
      'redirectUrl',
      'tokenizationPurpose',
      'tokenizationAccount',
      'flags',
      'createdOn',
      'token',
      'payment',
      'refunds',
      'serviceName',
      'errorCode',
      'description',
      'userMessage',
      'dateTime',
      'traceId',
      'cause',
    ]) {
      expect(text).toContain(`"${field}":`)
    }
  })

  it('shows bounds and defaults', async () => {
    const document = await (await get('/openapi.json')).text()
    for (const bound of [
      '"maxLength":200',
      '"minimum":1,"maximum":129600',
      '"minimum":100,"maximum":2000',
      '"maxLength":140',
      '"maxLength":64',
      '"maxLength":1000',
      '"default":"RUB"',
      '"default":"image/png"',
    ]) {
      expect(document).toContain(bound)
    }
  })

  it('shows an answer that the contract allows, with a link that verifies', () => {
    const example = QrCodeAnswer.strict().parse(QR_CODE_EXAMPLE.value)
    expect(parseLink(example.qrCode.payload)?.amount).toEqual({ minorUnits: 1, currency: 'RUB' })
    expect(example.amount).toEqual({ value: '0.01', currency: 'RUB' })
  })
})

describe('the health', () => {
  it('answers, and asks no site', async () => {
    const site = vi.fn<Platform['site']>()
    const before = await listDurableObjectIds(env.SITES)
    for (const response of [
      await get('/healthz'),
      await call('/healthz', { token: null }, serviceWith({ site })),
    ]) {
      expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
    }
    expect(site).not.toHaveBeenCalled()
    expect(await listDurableObjectIds(env.SITES)).toEqual(before)
  })
})
