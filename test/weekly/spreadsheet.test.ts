// The Russian files of the console, opened by LibreOffice: sums and times are cells of their types, not texts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { requires } from '../support/requires.ts'
import { openShop, type Shop, SUM } from '../support/shop.ts'
import { hasLibreOffice, sheetOf } from '../support/spreadsheet.ts'

describe.runIf(requires('libreoffice', hasLibreOffice()))('in LibreOffice (libreoffice-calc-nogui)', () => {
  const service = bareWorkerd()
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-spreadsheet-'))
  let origin: string
  let shop: Shop

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await service.start()}`
    shop = await openShop({ address: origin, secret: service.secret })
    const paymentUid = await shop.report(await shop.make({ paymentPurpose: '=1+1' }), 'COMPLETED')
    await shop.refund(paymentUid, 337.5)
  })
  afterAll(() => {
    service.dispose()
    rmSync(directory, { recursive: true })
  })

  /** A file of the console, as a signed-in user downloads it in Russian. */
  async function download(path: string): Promise<string> {
    const token = await mintToken(service.secret, { siteId: shop.siteId, scope: 'merchant:read', days: 1 })
    const signedIn = await fetch(`${origin}/console/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { Origin: origin },
      redirect: 'manual',
    })
    const [cookie = ''] = signedIn.headers.getSetCookie()
    const headers = { Cookie: cookie.replace(/;.*/, ''), 'Accept-Language': 'ru' }
    const response = await fetch(`${origin}/console/sites/${shop.siteId}/${path}`, { headers })
    expect(response.status).toBe(200)
    return response.text()
  }

  /** The cells of each row: a type and a value. */
  const cellsOf = (name: string, bytes: string) =>
    sheetOf(directory, { name, bytes, encoding: 'utf-8' }).map((row) =>
      row.map(({ type, value }): [string, string] => [type, value]),
    )

  it('sums and times of the accountant’s report are numbers and dates, a purpose is no formula', async () => {
    const today = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 10)
    const [head = [], payment = [], refund = []] = cellsOf(
      'report',
      await download(`report.csv?from=${today}&to=${today}`),
    )
    expect(head.slice(0, 4).map(([, name]) => name)).toEqual(['Операция', 'Время', 'Времябанка', 'Сумма'])
    expect(payment[1]).toEqual(['date', expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)])
    expect([payment[3], refund[3]]).toEqual([
      ['float', `${SUM}`],
      ['float', '-337.5'],
    ])
    expect(payment[12]).toEqual(['string', expect.stringMatching(/=1\+1$/)])
  })

  it('so are those of the list of payments', async () => {
    const [head = [], payment = []] = cellsOf('list', await download('payments.csv'))
    const typeOf = (name: string) => payment[head.findIndex(([, each]) => each === name)]
    expect(typeOf('Время')?.[0]).toBe('date')
    expect(typeOf('Сумма')).toEqual(['float', `${SUM}`])
    expect(typeOf('Возвращено')).toEqual(['float', '337.5'])
  })
})
