// The table of the rule of refunds: what follows from each call and each answer, by what a key of ours does at the bank.
import { describe, expect, it } from 'vitest'
import type { RefundKey, RefundState } from '../../connector/banks/bank.ts'
import { NotKnown, Refused, Unavailable } from '../../connector/banks/bank-errors.ts'
import { outcomeOf, type RefundCall } from '../../connector/money/refund/rule.ts'

const KEYS: readonly RefundKey[] = ['REPEATED', 'ASKED', 'NONE']
const CALLS: readonly RefundCall[] = ['first', 'repeat', 'lost', 'repeated', 'pending', 'held']
const ERRORS = {
  refused: new Refused('no'),
  notKnown: new NotKnown('none'),
  noAnswer: new Unavailable('broken', { isInDoubt: true }),
  neverSent: new Unavailable('down', { isInDoubt: false, retryAfter: 7 }),
}
type Answer = keyof typeof ERRORS
const ANSWERS = Object.keys(ERRORS) as Answer[]

const stepOf = async (key: RefundKey, call: RefundCall, answer: Answer) =>
  (await outcomeOf(call, key, Promise.reject(ERRORS[answer]))).step

/** All cells of the tables that have the step. */
async function cellsWith(step: string): Promise<string[]> {
  const cells: string[] = []
  for (const key of KEYS)
    for (const call of CALLS)
      for (const answer of ANSWERS)
        if ((await stepOf(key, call, answer)) === step) cells.push(`${key} ${call} ${answer}`)
  return cells
}

it('only the refusal of the first request is a decline', async () => {
  expect(await cellsWith('decline')).toEqual(KEYS.map((key) => `${key} first refused`))
})

it('only a first request that was not executed is made as a new one', async () => {
  expect(await cellsWith('queue')).toEqual(KEYS.map((key) => `${key} first neverSent`))
})

it('a request is sent again only where the bank takes the key again, and does not have the refund', async () => {
  expect(await cellsWith('repeat')).toEqual(['REPEATED lost notKnown'])
})

it('what was sent once, and is not known by its key, is held after an hour', async () => {
  expect(await cellsWith('miss')).toEqual(['ASKED lost notKnown', 'ASKED pending notKnown'])
})

it('what is in doubt at a bank without a key is held at once', async () => {
  for (const answer of ['notKnown', 'noAnswer'] as const)
    expect([await stepOf('NONE', 'first', answer), await stepOf('NONE', 'lost', answer)]).toEqual([
      'hold',
      'hold',
    ])
})

describe.each(KEYS)('where the key is %s', (key) => {
  it('goes on asking about a held refund, whatever the bank answers', async () => {
    for (const answer of ANSWERS) expect(await stepOf(key, 'held', answer)).toBe('ask')
  })

  it('believes the first request, and what the bank states of one that it has taken', async () => {
    const state: RefundState = { status: 'DECLINED', reason: 'x' }
    for (const call of ['first', 'pending', 'held'] as const)
      expect(await outcomeOf(call, key, Promise.resolve(state))).toEqual({ step: 'apply', state })
  })

  it('never declines by the question or by a repeat', async () => {
    for (const call of CALLS.filter((each) => each !== 'first'))
      for (const answer of ANSWERS) expect(await stepOf(key, call, answer)).not.toBe('decline')
  })
})

it('says how long the bank asks to wait', async () => {
  expect(await outcomeOf('first', 'ASKED', Promise.reject(ERRORS.neverSent))).toMatchObject({ waitMs: 7_000 })
})
