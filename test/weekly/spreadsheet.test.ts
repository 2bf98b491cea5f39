// The Russian files of the console, opened by LibreOffice: sums and times are cells of their types, not texts.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { requires } from '../support/requires.ts'
import { openShop, type Shop, SUM } from '../support/shop.ts'

/** Columns by `;`, texts in `"`, UTF-8, from the first line, the Russian locale, numbers and dates recognised: as by a double click. */
const FILTER = 'CSV:59,34,76,1,,1049,false,true'
const hasLibreOffice = requires('libreoffice', spawnSync('soffice', ['--version']).status === 0)

describe.runIf(hasLibreOffice)('in LibreOffice (libreoffice-calc-nogui)', () => {
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
  function cellsOf(name: string, text: string): [type: string, value: string][][] {
    writeFileSync(join(directory, `${name}.csv`), text)
    const profile = `-env:UserInstallation=file://${join(directory, 'profile')}`
    const options = ['--headless', `--infilter=${FILTER}`, '--convert-to', 'fods', '--outdir', directory]
    execFileSync('soffice', [profile, ...options, join(directory, `${name}.csv`)], { stdio: 'ignore' })
    const sheet = readFileSync(join(directory, `${name}.fods`), 'utf8')
    return Array.from(sheet.matchAll(/<table:table-row .*?<\/table:table-row>/gs), ([row]) =>
      Array.from(
        row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs),
        ([, attributes = '', content = '']) => {
          const of = (attribute: string) => new RegExp(`${attribute}="([^"]*)"`).exec(attributes)?.[1]
          const value = of('office:value') ?? of('office:date-value') ?? content.replaceAll(/<[^>]*>|\s/g, '')
          const cell: [string, string] = [of('office:value-type') ?? '', value]
          return Array.from({ length: Number(of('table:number-columns-repeated') ?? 1) }, () => cell)
        },
      ).flat(),
    )
  }

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
