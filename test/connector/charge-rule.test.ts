// The table of the rule of charges: what follows from each call and each answer.
import { expect, it } from 'vitest'
import { NotKnown, Refused, Unavailable } from '../../connector/banks/bank-errors.ts'
import { type ChargeCall, chargeOutcomeOf } from '../../connector/money/charge/rule.ts'

const CALLS: readonly ChargeCall[] = ['open', 'charge', 'ask']
const ERRORS = {
  refused: new Refused('no'),
  notKnown: new NotKnown('none'),
  noAnswer: new Unavailable('broken', { isInDoubt: true }),
  neverSent: new Unavailable('down', { isInDoubt: false, retryAfter: 7 }),
}

/** All cells of the table that have the step. */
async function cellsWith(step: string): Promise<string[]> {
  const cells: string[] = []
  for (const call of CALLS)
    for (const [answer, error] of Object.entries(ERRORS))
      if ((await chargeOutcomeOf(call, Promise.reject(error))).step === step) cells.push(`${call} ${answer}`)
  return cells
}

it('a charge is made again only where the account was not to be charged yet, or the request never left', async () => {
  expect(await cellsWith('retry')).toEqual([
    'open notKnown',
    'open noAnswer',
    'open neverSent',
    'charge neverSent',
  ])
})

it('only a refusal before the charge, or of it, declines', async () => {
  expect(await cellsWith('decline')).toEqual(['open refused', 'charge refused'])
})

it('what may have been made is asked about', async () => {
  expect(await cellsWith('ask')).toEqual([
    ...['charge notKnown', 'charge noAnswer'],
    ...['ask refused', 'ask noAnswer', 'ask neverSent'],
  ])
})

it('only what the bank does not have when it is asked is held after an hour', async () => {
  expect(await cellsWith('miss')).toEqual(['ask notKnown'])
})

it('what was executed is applied, and the wait that the bank asks for is kept', async () => {
  const value = { status: 'PENDING' }
  expect(await chargeOutcomeOf('charge', Promise.resolve(value))).toEqual({ step: 'apply', value })
  expect(await chargeOutcomeOf('ask', Promise.reject(ERRORS.neverSent))).toMatchObject({ waitMs: 7_000 })
})
