// The start page and the documentation in a browser.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { barriers, DEVICES, type DeviceName, launch, picture, scanned, visit } from '../support/browser.ts'

const { address } = inject('sandbox')
let browser: Browser

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

interface Declared {
  operationId: string
  summary: string
}
interface Body {
  content: { 'application/json': { examples: Record<string, { value: unknown }> } }
}
interface Document {
  paths: Record<string, Record<string, Declared & { requestBody?: Body }>>
  webhooks: Record<string, { post: Declared & { requestBody: Body } }>
}
const documentOf = async () => (await fetch(`${address}/openapi.json`)).json<Document>()
const run = promisify(execFile)

const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()

const VIEWS = (['phone', 'desktop'] as DeviceName[]).flatMap((device) =>
  (['light', 'dark'] as const).map((colorScheme) => [device, colorScheme] as const),
)

describe.each(VIEWS)('on a %s, %s', (device, colorScheme) => {
  it.for([
    ['start page', '/', 'ru-RU'],
    ['start page', '/', 'en-GB'],
    ['documentation', '/docs', 'en-GB'],
  ])('the %s %s in %s has no barrier and fits', async ([, path = '', locale = ''], { expect }) => {
    const { page, faults } = await visit(browser, address + path, { ...DEVICES[device], colorScheme, locale })
    for (const details of await page.locator('details').all())
      await details.evaluate('(each) => each.open = true')
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(DEVICES[device].viewport.width)
    expect(faults).toEqual([])
    await page.context().close()
  })
})

describe('the demonstration', () => {
  it('shows its result in place: the picture, and the status as it changes', async ({ expect }) => {
    const { page, faults } = await visit(browser, `${address}/?lang=en`)
    await page.getByRole('button', { name: 'Create a QR code' }).click()
    await page.getByRole('img').waitFor()
    expect(await barriers(page)).toEqual([])
    await picture(page, 'desktop-light-demo')
    const link =
      (await page.getByRole('link', { name: 'Open the payer’s page', exact: true }).getAttribute('href')) ??
      ''
    expect(await scanned(page)).toBe(link)
    await says(page, 'CREATED')
    const payers = await page.context().newPage()
    await payers.goto(link)
    await payers.getByRole('button').first().click()
    // The start page was not touched.
    await says(page, 'PAYED')
    expect(await page.locator('.result [role=status]').textContent()).toContain('Payment received')
    await payers.waitForURL(`${address}/`, { timeout: 60_000 })
    expect(faults).toEqual([])
  })

  it('shows its errors in the page, and needs no script', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/`, { javaScriptEnabled: false })
    await page.getByLabel('Сумма').fill('0')
    await page.getByRole('button', { name: 'Создать QR-код' }).click()
    await says(page, 'Сервис отклонил запрос: 400 validation.error')
    expect(await page.getByLabel('Сумма').inputValue()).toBe('0')
    await page.getByLabel('Сумма').fill('1')
    await page.getByRole('button', { name: 'Создать QR-код' }).click()
    await says(page, 'CREATED')
  })

  it('does not exist outside the sandbox', async ({ expect }) => {
    const { page } = await visit(browser, inject('external').address)
    await says(page, 'Что дальше')
    expect(await page.locator('form').count()).toBe(0)
  })
})

describe('the documentation', () => {
  it('has commands for the service at which it is read, and leads to its start page', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs`)
    const [command] = await page.locator('pre').allTextContents()
    expect(command).toContain(`'${address}/payin/v1/sites/`)
    await page.getByRole('link', { name: 'Start page' }).click()
    await page.waitForURL(`${address}/`)
  })

  it('has commands that a shell takes apart into the request of the document', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs`)
    const { paths } = await documentOf()
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
        const command = (await page.locator(`#${operationId} pre`).first().textContent()) ?? ''
        const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
          env: { ...process.env, TOKEN: 'a.b.c' },
        })
        const words = stdout.split('\0')
        const [url = ''] = words.filter((word) => word.startsWith('http'))
        expect(new URL(url).pathname.split('/').length).toBe(path.split('/').length)
        expect(words.includes('-X') ? words[words.indexOf('-X') + 1] : 'GET').toBe(method.toUpperCase())
        expect(words).toContain('Authorization: Bearer a.b.c')
        const body = words.includes('-d') ? words[words.indexOf('-d') + 1] : undefined
        const examples = Object.values(requestBody?.content['application/json'].examples ?? {})
        expect(body && JSON.parse(body)).toEqual(examples[0]?.value)
        if (body?.includes('":')) expect(body).toContain('\n')
      }
    }
  })

  it('has the bodies of the notifications that a merchant receives, and their signatures', async ({
    expect,
  }) => {
    const { page } = await visit(browser, `${address}/docs`)
    const { webhooks } = await documentOf()
    expect(Object.keys(webhooks)).toEqual(['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'])
    for (const { post } of Object.values(webhooks)) {
      const bodies = await page.locator(`#${post.operationId} pre`).allTextContents()
      const examples = Object.values(post.requestBody.content['application/json'].examples)
      expect(bodies.map((body) => JSON.parse(body))).toEqual(examples.map(({ value }) => value))
      expect(await page.locator(`#${post.operationId} td`).allTextContents()).toContain('Signature')
      expect(await page.locator(`nav a[href="#${post.operationId}"]`).count()).toBe(1)
    }
    const section = (await page.locator('#received').textContent()) ?? ''
    for (const text of ['webhook-id', 'webhook-timestamp', 'webhook-signature', '410', 'receiver.py'])
      expect(section).toContain(text)
  })

  it('tells each error on a line of its own, in the order of the statuses', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs`)
    const lines = await page.locator('#refundPayment .errors li').allTextContents()
    expect(lines.map((line) => line.split(':')[0])).toEqual([
      '400 validation.error',
      '404 payin.resource.not.found',
      '409 payin.resource.already.exists',
      '409 payin.incorrect-method-invocation',
      '409 site.restored',
      '409 network.changed',
      '503 network.not.connected',
    ])
    const statuses = await page.locator('#errors table').last().locator('td:first-child').allTextContents()
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses).toEqual(statuses.toSorted())
  })

  it('says where a field is required, and no rule twice', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs`)
    const rows = await page.locator('#createQrCode table').nth(1).locator('tbody tr').all()
    const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()))
    expect(cells).toContainEqual([
      'amount.value',
      expect.stringMatching(/, required in amount$/),
      expect.any(String),
    ])
    expect(cells).toContainEqual([
      'amount.currency',
      'string',
      'A currency that the deployment accepts. By default RUB',
    ])
    expect(cells).toContainEqual(['flags', 'array of string', 'CREATE_TOKEN requests a payment token too'])
    expect(cells.filter(([, , rule]) => rule === '')).toEqual([])
    const query = await page
      .locator('#listQrCodes table')
      .nth(1)
      .locator('tr')
      .nth(1)
      .locator('td')
      .allTextContents()
    expect(query.slice(0, 2)).toEqual(['status', 'array of string'])
  })

  it('has its contents behind a bar that stays in view on a phone', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs`, DEVICES.phone)
    const contents = page.getByRole('navigation')
    expect(await contents.isVisible()).toBe(false)
    await page.evaluate('scrollTo(0, 5000)')
    const bar = page.getByText('Contents', { exact: true })
    expect((await bar.boundingBox())?.y).toBe(0)
    await bar.click()
    await contents.getByRole('link', { name: 'Cancel a QR code' }).click()
    await contents.waitFor({ state: 'hidden' })
    const title = await page.locator('#cancelQrCode h3').boundingBox()
    expect(title?.y).toBeGreaterThan((await bar.boundingBox())?.height ?? 0)
    expect(title?.y).toBeLessThan(DEVICES.phone.viewport.height / 2)
  })

  it.for([
    [1280, 900],
    [1680, 1000],
  ])(
    'shows the example beside the description, and no text is cut: %i wide',
    async ([width = 0, height = 0], { expect }) => {
      const { page } = await visit(browser, `${address}/docs`, { viewport: { width, height } })
      const box = (selector: string) => page.locator(`#createQrCode ${selector}`).first().boundingBox()
      const [about, example] = [await box('h3 + div'), await box('.example')]
      expect(example?.x).toBeGreaterThan((about?.x ?? 0) + (about?.width ?? width))
      expect(example?.y).toBe(about?.y)
      await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true })`)
      expect(
        await page.evaluate(
          `[...document.querySelectorAll('pre, .scroll')].filter((each) => each.scrollWidth > each.clientWidth).length`,
        ),
      ).toBe(0)
    },
  )

  it('keeps the list of operations in view on a desktop', async ({ expect }) => {
    const { page } = await visit(browser, `${address}/docs#errors`, DEVICES.desktop)
    expect(await page.evaluate('scrollY')).toBeGreaterThan(DEVICES.desktop.viewport.height)
    expect((await page.getByRole('navigation').boundingBox())?.y).toBe(0)
  })

  it('has every operation, by its link', async ({ expect }) => {
    const { paths } = await documentOf()
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    const { page } = await visit(browser, `${address}/docs`)
    expect(operations.length).toBeGreaterThan(20)
    for (const { operationId, summary } of operations) {
      expect(await page.locator(`#${operationId} h3`).textContent()).toBe(summary)
      expect(await page.locator(`nav a[href="#${operationId}"]`).count()).toBe(1)
    }
  })
})
