// The files of banks in the console: uploads and what is wrong with them, the deletion, and who may what.
import { describe, expect, it } from 'vitest'
import { accountant, newSite, read, upload } from '../support/settlement/console.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'

const RUSSIAN = { 'Accept-Language': 'ru' }

const bytesOf = (text: string) => new Uint8Array(encode(text, 'windows-1251'))
const ONE = bytesOf(tbankText([tbankLine({})]))

describe('an upload', () => {
  it('shows its faults by line and column, and changes nothing', async () => {
    const site = newSite()
    const browser = await accountant(site.siteId)
    const lines = [tbankLine({}), tbankLine({ number: '2', amount: '1,5', type: 'Kredit', paymentId: '7' })]
    const answer = await upload(browser, bytesOf(tbankText(lines)))
    expect(answer.status).toBe(400)
    const text = await read(answer)
    expect(text).toContain('Файл не загружен, ничего не изменилось')
    expect(text).toMatch(/Строка 2 +12 \(amount\) +«1,5», после точки нужны две цифры/)
    expect(text).toMatch(/Строка 2 +15 \(type\) +«Kredit», нужен тип из описания банка/)
    expect(await read(await browser.get('/settlement/files', RUSSIAN))).toContain('Файлов банка ещё нет')
  })

  it('escapes what a file has in place of a number', async () => {
    const browser = await accountant(newSite().siteId)
    const answer = await upload(browser, bytesOf(tbankText([tbankLine({ terminal: '<b>1</b>' })])))
    const page = await answer.text()
    expect(page).toContain('&lt;b&gt;1&lt;/b&gt;')
    expect(page).not.toContain('<b>1</b>')
  })

  it.each([
    ['no file', { name: '' }, 'Выберите файл'],
    ['another bank’s file', { bank: 'raiffeisen' }, 'это реестр Т-Банка, нужен реестр Райффайзенбанка'],
    ['a bank that there is not', { bank: 'other' }, 'Проверьте поля'],
  ])('of %s says: %3$s', async (_, form, said) => {
    const answer = await upload(await accountant(newSite().siteId), ONE, form)
    expect(answer.status).toBe(400)
    expect(await read(answer)).toContain(said)
  })

  it('of what another file has leads to that one, whatever its name is', async () => {
    const browser = await accountant(newSite().siteId)
    const name = 'was imported as <b> has the same operations.csv'
    await upload(browser, ONE, { name })
    const address = `/settlement/files/${encodeURIComponent(`${name} · abcdef`)}`
    const other = bytesOf(tbankText([tbankLine({ fee: '0.80', toBePaid: '99.20' })]))
    for (const bytes of [ONE, other]) {
      const answer = await upload(browser, bytes, { uid: 'console-0123456789000000' })
      expect(answer.status).toBe(409)
      expect(await answer.text()).toContain(`${address}">`)
    }
  })

  it('of a zip is read as one', async () => {
    const browser = await accountant(newSite().siteId)
    const answer = await upload(browser, ONE, { name: 'реестр.zip' })
    expect(await read(answer)).toContain('это не архив zip')
  })

  it('that is no form with a file is refused', async () => {
    const browser = await accountant(newSite().siteId)
    expect((await browser.post('/settlement/upload', { bank: 'tbank' })).status).toBe(400)
  })

  it('of another page is refused', async () => {
    const browser = await accountant(newSite().siteId)
    const answer = await browser.send('/settlement/upload', {
      method: 'POST',
      body: new FormData(),
      headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    })
    expect(answer.status).toBe(403)
  })

  it('offers the bank and the format of the latest file', async () => {
    const browser = await accountant(newSite().siteId)
    await upload(browser, new Uint8Array(), { bank: 'tochka', format: 'statement' })
    const page = await (await browser.get('/settlement/upload')).text()
    expect(page).toContain('<option value="tochka" selected>')
    expect(page).toContain('<option value="statement" selected>')
  })
})

describe('a deletion', () => {
  it('asks first, and then the file and its operations are gone', async () => {
    const browser = await accountant(newSite().siteId)
    await upload(browser, ONE)
    const address = `/settlement/files/${encodeURIComponent('реестр.csv · abcdef')}`
    expect(await read(await browser.get(address, RUSSIAN))).toMatch(/Учтено +1 .*Удалить файл/)
    expect(await read(await browser.get(`${address}/delete`, RUSSIAN))).toMatch(
      /Удалить файл\? .*реестр\.csv · abcdef .*Платежи и возвраты не изменятся\. .*Удалить +Не удалять/,
    )
    const answer = await browser.post(`${address}/delete`)
    expect(answer.status).toBe(303)
    expect((await browser.get(address)).status).toBe(404)
    const events = await (await browser.get('/events', RUSSIAN)).text()
    expect(events).toMatch(/Файл банка удалён <bdi title="реестр\.csv · abcdef">/)
    expect(await read(await browser.get('/settlement?month=2026-11', RUSSIAN))).toContain(
      'Файлов банка ещё нет',
    )
  })
})

describe('rights', () => {
  const PATH = `/settlement/files/${encodeURIComponent('реестр.csv · abcdef')}`

  it.each([
    ['merchant:read', false],
    ['merchant', false],
    ['merchant:accounting', true],
    ['merchant:admin', true],
  ])('%s reads; may upload and delete: %s', async (scope, may) => {
    const site = newSite()
    await upload(await accountant(site.siteId), ONE)
    const browser = await accountant(site.siteId, scope)
    const statusOf = async (path: string) => (await browser.get(path)).status
    const allowed = may ? 200 : 403
    expect([
      await statusOf('/settlement'),
      await statusOf('/settlement/files'),
      await statusOf(PATH),
    ]).toEqual([...[200, 200, 200]])
    expect([await statusOf('/settlement/upload'), await statusOf(`${PATH}/delete`)]).toEqual([
      allowed,
      allowed,
    ])
    const pages = await read(await browser.get('/settlement', RUSSIAN))
    expect(pages.includes('Загрузить файл')).toBe(may)
    expect((await read(await browser.get(PATH, RUSSIAN))).includes('Удалить файл')).toBe(may)
    const refused = may ? 303 : 403
    expect((await upload(browser, bytesOf(`${tbankText([tbankLine({ paymentId: '8' })])}`))).status).toBe(
      may ? 409 : 403,
    )
    expect((await browser.post(`${PATH}/delete`)).status).toBe(refused)
  })

  it('a cashier has no page of it, and no way to it', async () => {
    const browser = await accountant(newSite().siteId, 'merchant:till')
    expect((await browser.get('/settlement')).status).toBe(403)
    expect(await read(await browser.get('/tills', RUSSIAN))).not.toContain('Выплаты банка')
  })
})
