// The table of the rule of documents: what follows from each call and each answer.
import { describe, expect, it } from 'vitest'
import { NotKnown, Refused, Unavailable } from '../../connector/banks/bank-errors.ts'
import type { Asks, DocumentState } from '../../connector/cash-registers/cash-register.ts'
import { type DocumentCall, outcomeOf } from '../../connector/cash-registers/rule.ts'
import { withoutContact } from '../../connector/cash-registers/without-contact.ts'

const ASKS: readonly Asks[] = ['KEY', 'REPEAT', 'NEVER']
const CALLS: readonly DocumentCall[] = ['first', 'again', 'lost', 'pending', 'held']
const ERRORS = {
  refused: new Refused('no'),
  notKnown: new NotKnown('none'),
  noAnswer: new Unavailable('broken', { isInDoubt: true }),
  neverSent: new Unavailable('down', { isInDoubt: false, retryAfter: 7 }),
}
type Answer = keyof typeof ERRORS

const stepOf = async (asks: Asks, call: DocumentCall, answer: Answer) =>
  (await outcomeOf(call, asks, Promise.reject(ERRORS[answer]))).step

/** All cells of the table that have the step. */
async function cellsWith(step: string): Promise<string[]> {
  const cells: string[] = []
  for (const asks of ASKS)
    for (const call of CALLS)
      for (const answer of Object.keys(ERRORS) as Answer[])
        if ((await stepOf(asks, call, answer)) === step) cells.push(`${asks} ${call} ${answer}`)
  return cells
}

it('only the refusal of the first request is a failure', async () => {
  expect(await cellsWith('fail')).toEqual(ASKS.map((asks) => `${asks} first refused`))
})

it('only a first request that never left is made as a new one', async () => {
  expect(await cellsWith('queue')).toEqual(ASKS.map((asks) => `${asks} first neverSent`))
})

it('the stored request is sent again at once where the register states that it does not know the key', async () => {
  expect(await cellsWith('again')).toEqual(['KEY lost notKnown'])
})

describe.each(ASKS)('a register that is asked by %s', (asks) => {
  it.each(CALLS)('after the call %s is believed in what it states', async (call) => {
    const state: DocumentState = { status: 'PENDING', note: 'x' }
    const outcome = await outcomeOf(call, asks, Promise.resolve(state))
    const isHeld = asks === 'NEVER' && (call === 'again' || call === 'lost')
    expect(outcome).toEqual(isHeld ? { step: 'hold', reason: '', waitMs: 0 } : { step: 'apply', state })
  })

  it('holds a document whose repeat is refused: the first request may have counted', async () => {
    expect(await stepOf(asks, 'again', 'refused')).toBe('hold')
  })

  it('goes on with a document that it has, whatever it answers', async () => {
    for (const answer of Object.keys(ERRORS) as Answer[])
      expect([await stepOf(asks, 'pending', answer), await stepOf(asks, 'held', answer)]).toEqual([
        'ask',
        'ask',
      ])
  })
})

it('what cannot be asked about is held where its answer is lost', async () => {
  expect(await stepOf('NEVER', 'first', 'noAnswer')).toBe('hold')
  expect(await stepOf('NEVER', 'lost', 'noAnswer')).toBe('hold')
  expect(await stepOf('REPEAT', 'first', 'noAnswer')).toBe('ask')
})

it('says how long the register asks to wait, and never whom a document is for', async () => {
  expect(await outcomeOf('first', 'REPEAT', Promise.reject(ERRORS.neverSent))).toMatchObject({
    waitMs: 7_000,
  })
  const said = 'bad client anna+1@mail.example, +79001234567'
  const refused = await outcomeOf('first', 'REPEAT', Promise.reject(new Refused(said)))
  expect(refused).toMatchObject({ reason: 'bad client (contact), (contact)' })
  const failed = { status: 'FAILED' as const, reason: said, canRetry: true }
  expect(await outcomeOf('pending', 'REPEAT', Promise.resolve(failed))).toMatchObject({
    state: { reason: 'bad client (contact), (contact)' },
  })
})

it.each([
  ...[
    ...[
      '+79001234567',
      '+7 900 123-45-67',
      '+7\u00a0(900)\u00a0123‑45‑67',
      '8(900)123-45-67',
      '8 900 12 34 567',
    ],
    ...['79001234567', '8-800-555-35-35', '+375 29 123-45-67', '+1.212.555.0100'],
  ].map((phone) => [`the phone ${phone} is bad`, 'the phone (contact) is bad']),
  ['79001234567 89001234568', '(contact) (contact)'],
  ['no paper for +79001234567 (60)', 'no paper for (contact) (60)'],
  ...[
    ...['the document 3449555941 of the drive 9999078900003063', 'INN 7701234567', 'INN 781234567890'],
    ...['on 2026-11-20 at 10:11:12', 'payment 13660002187, terminal 1600123'],
  ].map((text) => [text, text]),
  ['error 1234567: code 33', 'error 1234567: code 33'],
  ['<anna@mail.example>', '<(contact)>'],
])('%s', (text, expected) => expect(withoutContact(text)).toBe(expected))
