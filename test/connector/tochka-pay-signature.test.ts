// The Signature of Tochka Pay Gateway is of the very bytes of the body, as openssl verifies it; only payments and refunds have one.
import { spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { BankCall } from '../support/banks/fake-bank.ts'
import { bound, charge, TOCHKA_PAY } from './bound.ts'
import { COUNTER } from './cashbox.ts'
import { afterwards, MINUTE, register } from './harness.ts'

/** What `openssl dgst -sha256 -verify` says of a signature of the bytes. */
function isVerified(privateKey: string, bytes: Buffer, signature: string): boolean {
  const directory = mkdtempSync(join(tmpdir(), 'signature-'))
  afterwards(() => rmSync(directory, { recursive: true }))
  const [key, body, signed] = ['key.pem', 'body', 'signature'].map((name) => join(directory, name))
  writeFileSync(String(key), createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }))
  writeFileSync(String(body), bytes)
  writeFileSync(String(signed), Buffer.from(signature, 'base64'))
  const options = ['dgst', '-sha256', '-verify', String(key), '-signature', String(signed), String(body)]
  const { status, stdout } = spawnSync('openssl', options, { encoding: 'utf8' })
  return status === 0 && stdout.trim() === 'Verified OK'
}

const signedOf = ({ text, headers }: BankCall) => ({
  bytes: Buffer.from(text),
  signature: headers.signature ?? '',
})

/** A charge and a refund of it. */
async function signedCalls(paymentPurpose: string) {
  const { at, running, binding, link } = await bound(TOCHKA_PAY)
  const asked = await charge(at, binding, link, { paymentPurpose })
  await running.later(MINUTE)
  const { paymentUid, qrcId, result } = asked
  const reported = result()
  const of = { siteId: 'club', qrcId, paymentUid, refundUid: 'refund-1' }
  const named = { reference: reported?.reference, networkUid: reported?.networkUid }
  const refund = { ...of, ...named, amount: { value: '20.00', currency: 'RUB' } }
  await at.service.instruct('refund.create', refund, at.clock.now)
  await running.later(MINUTE)
  return at
}

describe.each(['Чай «Ёж» № 1 & 茶 😀 "\\ \u2028', 'Tea'])('with the purpose %s', (purpose) => {
  it('openssl verifies charge and refund; one changed byte fails', async () => {
    const { tochkaPay } = await signedCalls(purpose)
    for (const operation of ['charge', 'refund']) {
      const [call, second] = tochkaPay.callsOf(operation)
      if (!call) throw new Error(`no ${operation} was sent`)
      expect(second).toBeUndefined()
      const { bytes, signature } = signedOf(call)
      expect(signature).toMatch(/^[A-Za-z0-9+/]{342}==$/)
      expect(isVerified(tochkaPay.privateKey, bytes, signature)).toBe(true)
      for (const index of [0, bytes.length >> 1, bytes.length - 1]) {
        const changed = Buffer.from(bytes)
        changed[index] = (changed[index] ?? 0) ^ 1
        expect(isVerified(tochkaPay.privateKey, changed, signature)).toBe(false)
      }
    }
    expect(tochkaPay.callsOf('charge')[0]?.text).toContain(JSON.stringify(purpose))
  })
})

it('no other call has a Signature', async () => {
  const at = await signedCalls('Tea')
  const code = await register(at, 'club', COUNTER)
  await at.service.instruct(
    'sale.activate',
    {
      ...{ siteId: 'club', qrcId: code.qrcId, reference: code.reference, saleUid: 's1', ttl: 5 },
      ...{ amount: { value: '5.00', currency: 'RUB' } },
      expiresOn: new Date(at.clock.now + 5 * MINUTE).toISOString(),
    },
    at.clock.now,
  )
  const { calls } = at.tochkaPay
  const signed = calls.filter(({ headers }) => headers.signature !== undefined)
  expect(new Set(signed.map(({ operation }) => operation))).toEqual(new Set(['charge', 'refund']))
  expect(new Set(calls.map(({ operation }) => operation))).toContain('activate')
})
