// Settlement files of the running service, by the client.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../../test/support/bare-workerd.ts'
import { encode } from '../../test/support/settlement/files.ts'
import { tbankLine, tbankText } from '../../test/support/settlement/tbank.ts'
import { zipOf } from '../../test/support/settlement/zip.ts'
import { ConflictError, FpsQr, InvalidRequestError, NotFoundError } from '../src/index.ts'

const service = bareWorkerd({})
let fps: FpsQr
beforeAll(async () => {
  const baseUrl = `http://127.0.0.1:${await service.start()}`
  const token = await mintToken(service.secret, { siteId: 'tea', scope: 'merchant:accounting', days: 1 })
  fps = new FpsQr({ baseUrl, siteId: 'tea', token })
})
afterAll(() => service.dispose())

const TBANK = { bank: 'tbank', format: 'registry' } as const
const fileOf = (...numbers: number[]) =>
  encode(
    tbankText(
      numbers.map((number) =>
        tbankLine({
          ...{ number: `${number}`, paymentId: `${700_000_000 + number}` },
          operationId: `A${String(number).padStart(31, '0')}`,
        }),
      ),
    ),
    'windows-1251',
  ).slice()

it('a file is imported, also again, read, listed and deleted', async () => {
  const file = { ...TBANK, content: fileOf(1, 2) }
  const imported = await fps.settlements.import('20 ноября', file)
  expect(imported).toMatchObject({ settlementUid: '20 ноября', entries: 2, unknown: 2 })
  expect(await fps.settlements.import('20 ноября', { ...file, content: new Blob([file.content]) })).toEqual(
    imported,
  )
  expect(await fps.settlements.get('20 ноября')).toEqual(imported)
  expect(await Array.fromAsync(fps.settlements.list())).toEqual([imported])
  await fps.settlements.delete('20 ноября')
  await fps.settlements.delete('20 ноября')
  await expect(fps.settlements.get('20 ноября')).rejects.toThrow(NotFoundError)
})

it('a month has its figures and its entries', async () => {
  const content = zipOf([{ content: fileOf(3, 4, 5) }]).slice()
  await fps.settlements.import('zip', { ...TBANK, content, mediaType: 'application/zip' })
  expect(await fps.settlements.month('2026-11')).toMatchObject({ payments: 3, gross: '300.00', unknown: 3 })
  const lines = async (options: Parameters<typeof fps.settlements.entries>[1]) =>
    (await Array.fromAsync(fps.settlements.entries('2026-11', options))).map(({ line }) => line)
  expect((await lines({ state: 'UNKNOWN', kind: 'payment' })).toSorted()).toEqual([1, 2, 3])
  expect(await lines({ kind: 'refund' })).toEqual([])
  await fps.settlements.delete('zip')
})

it('what is wrong is in the error, by line and column', async () => {
  const bad = fps.settlements.import('bad', { ...TBANK, content: new TextEncoder().encode('<html>').slice() })
  const error: unknown = await bad.catch((each: unknown) => each)
  expect(error).toBeInstanceOf(InvalidRequestError)
  expect(error).toMatchObject({
    errorCode: 'settlement.unreadable',
    cause: { file: ["is HTML, must be T-Bank's registry"] },
  })
  await fps.settlements.import('first', { ...TBANK, content: fileOf(6) })
  await expect(fps.settlements.import('second', { ...TBANK, content: fileOf(6) })).rejects.toThrow(
    ConflictError,
  )
  await fps.settlements.delete('first')
})
