// The QR codes that a request names (contract, section 15).
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { ListAnswer } from '../../src/contract/qr-code-list.ts'
import { type SiteClient, siteClient } from '../support/client.ts'
import { errorOf, inProcess } from '../support/service.ts'
import { strict } from '../support/strict.ts'

let site: SiteClient

beforeEach(() => {
  const siteId = crypto.randomUUID()
  site = siteClient(siteId, inProcess(siteId))
})

const get = (query: string) => site.ask(`/sbp/qrCodes?${query}`)
const queryOf = (uids: readonly string[]) => `qrCodeUid=${uids.map(encodeURIComponent).join(',')}`

async function named(query: string): Promise<string[]> {
  const response = await get(query)
  const body = await response.json()
  expect([response.status, body]).toEqual([200, expect.anything()])
  const { qrCodes, nextCursor } = strict(ListAnswer).parse(body)
  expect(nextCursor).toBeUndefined()
  return qrCodes.map(({ qrCodeUid }) => qrCodeUid)
}

async function refusalOf(query: string) {
  const response = await get(query)
  const { errorCode, cause } = await errorOf(response)
  return { status: response.status, errorCode, cause }
}

describe('the QR codes that a request names', () => {
  it('are those that exist, in its order, each once, as a GET of each answers', async () => {
    for (const qrCodeUid of ['a', 'b', 'c']) await site.make({ qrCodeUid })
    expect(await named('qrCodeUid=c,missing,a,c,b')).toEqual(['c', 'a', 'b'])
    expect(await named('qrCodeUid=missing')).toEqual([])
    const { qrCodes } = ListAnswer.parse(await (await get('qrCodeUid=b')).json())
    expect(qrCodes).toEqual([await (await site.ask('/sbp/qrCodes/b')).json()])
  })

  it('are percent-encoded one by one: a comma within one is %2C', async () => {
    for (const qrCodeUid of ['a,b', 'a', 'b']) await site.make({ qrCodeUid })
    expect(await named('qrCodeUid=a%2Cb')).toEqual(['a,b'])
    expect(await named('qrCodeUid=b,a%2Cb,a')).toEqual(['b', 'a,b', 'a'])
  })

  it('can be any identifiers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc
            .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
            .filter((uid) => !/^\.{1,2}$|\p{Cc}/u.test(uid)),
          { minLength: 1, maxLength: 6 },
        ),
        async (uids) => {
          for (const qrCodeUid of uids) await site.make({ qrCodeUid })
          expect(await named(queryOf(uids.toReversed()))).toEqual(uids.toReversed())
        },
      ),
      { numRuns: 20 },
    )
  })

  it('can be 100, and no more', async () => {
    const uids = Array.from({ length: 100 }, (_, n) => `order-${n}`)
    for (const qrCodeUid of uids) await site.make({ qrCodeUid })
    expect(await named(queryOf(uids))).toEqual(uids)
    expect(await refusalOf(queryOf([...uids, 'order-100']))).toEqual({
      status: 400,
      errorCode: 'validation.error',
      cause: { qrCodeUid: ['is an array, must be 1 to 100 identifiers, separated by commas'] },
    })
  })

  it('fit into a query of 8192 bytes', async () => {
    const uids = ['о'.repeat(200), 'п'.repeat(200)]
    const padding = 8192 - queryOf(uids).length - 1
    const fitting = [...uids, ...Array.from({ length: Math.floor(padding / 101) }, () => 'x'.repeat(100))]
    const query = `${queryOf(fitting)},${'y'.repeat((8192 - queryOf(fitting).length - 1) % 101)}`
    expect(query).toHaveLength(8192)
    expect(await named(query)).toEqual([])
    expect(await refusalOf(`${query}z`)).toMatchObject({
      status: 400,
      cause: { qrCodeUid: ['is in a query of 8193 bytes, which must have at most 8192'] },
    })
  })

  it.each([
    'status=CREATED',
    'createdFrom=2026-11-20T17:00:00Z',
    'createdTo=2026-11-20T17:00:00Z',
    'limit=10',
    'cursor=MTI',
  ])('are named without another parameter: %s is refused', async (parameter) => {
    const { status, cause } = await refusalOf(`qrCodeUid=a&${parameter}`)
    const [name = ''] = parameter.split('=')
    expect([status, Object.keys(cause ?? {})]).toEqual([400, [name]])
    expect(cause?.[name]?.[0]).toMatch(/must be absent beside qrCodeUid$/)
  })

  it.each(['', 'a,', ',a', '%', 'a,%ff', '..', 'a,.', 'a%00b', 'x'.repeat(201)])(
    'are not %j',
    async (value) => {
      const { status, errorCode, cause } = await refusalOf(`qrCodeUid=${value}`)
      expect([status, errorCode, Object.keys(cause ?? {})]).toEqual([400, 'validation.error', ['qrCodeUid']])
    },
  )

  it('are not given by two parameters', async () => {
    const { status, cause } = await refusalOf('qrCodeUid=a&qrCodeUid=b')
    expect([status, cause]).toEqual([400, { qrCodeUid: ['is given 2 times, must be given once'] }])
  })

  it('are read without the tables of a site that nobody wrote to', async () =>
    expect(await named('qrCodeUid=a,b')).toEqual([]))
})
