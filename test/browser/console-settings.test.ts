// The settings in a browser: a photo of a phone becomes a small logo without its place, the colour is picked, the preview follows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { DEVICES, launch, picture, visit } from '../support/browser.ts'
import { signIn } from '../support/console-browser.ts'
import { openShop } from '../support/shop.ts'

const service = inject('sandbox')
let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** A JPEG of many pixels, as a camera writes it: with EXIF. */
async function photo(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate<string>(`(() => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: 3000, height: 2000 })
    const context = canvas.getContext('2d')
    for (let x = 0; x < 3000; x += 10) {
      context.fillStyle = 'hsl(' + x + ', 80%, 50%)'
      context.fillRect(x, 0, 10, 2000)
    }
    return canvas.toDataURL('image/jpeg').split(',')[1]
  })()`)
  const jpeg = Buffer.from(base64, 'base64')
  const exif = Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1')
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2])
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)])
}

const shown = (page: Page, name: string) => page.locator(`[data-shown=${name}]`)

it.each(['phone', 'desktop'] as const)(
  'a logo and a colour are chosen on a %s, and payers see them',
  async (device) => {
    const shop = await openShop(service, { name: 'Чайная' })
    const { page, faults } = await signIn(browser, service, shop.siteId, DEVICES[device])
    await page.goto(`${service.address}/console/settings`)
    const buffer = await photo(page)
    await page.locator('[data-file]').setInputFiles({ name: 'tea.jpg', mimeType: 'image/jpeg', buffer })
    await shown(page, 'logo').locator('img').waitFor()
    const logo = Buffer.from(await page.locator('[name=logo]').inputValue(), 'base64')
    expect(logo.length).toBeLessThanOrEqual(256 * 1024)
    expect([buffer.includes('Exif'), logo.includes('Exif')]).toEqual([true, false])

    await page.locator('[data-picker]').fill('#7a1fa2')
    await page.locator('[name=name]').fill('Чайная на Садовой')
    await page.locator('[name=supportContact]').fill('+7 800 555-01-00')
    await page.locator('[name=taxId]').fill('7707083893')
    expect(await shown(page, 'seller').textContent()).toBe('Продавец: ИНН 7707083893')
    expect(await page.locator('[name=color]').inputValue()).toBe('#7a1fa2')
    const background = "getComputedStyle(document.querySelector('[data-shown=pay]')).backgroundColor"
    expect(await page.evaluate<string>(background)).toBe('rgb(122, 31, 162)')
    expect(await shown(page, 'name').textContent()).toBe('Чайная на Садовой')
    await page.getByRole('button', { name: 'Сохранить' }).click()
    await page.waitForURL('**done=saved')
    expect(faults).toEqual([])

    await page.goto(`${service.address}/console/new`)
    const preview = "getComputedStyle(document.querySelector('.preview .pay')).backgroundColor"
    expect(await page.evaluate<string>(preview)).toBe('rgb(122, 31, 162)')
    await picture(page, `task-preview-${device}`)
    expect(faults).toEqual([])

    const made = await shop.make()
    const payer = await visit(browser, made.page, DEVICES[device])
    const size = await payer.page.evaluate<number[]>(`(async (each) => {
      await each.decode()
      return [each.naturalWidth, each.naturalHeight]
    })(document.querySelector('.shop img'))`)
    expect(size).toEqual([512, 341])
    expect(await payer.page.locator('header').textContent()).toContain('Чайная на Садовой')
    expect(payer.faults).toEqual([])
  },
)

it('a logo that is dropped on the field is chosen', async () => {
  const shop = await openShop(service, { name: 'Чайная' })
  const { page, faults } = await signIn(browser, service, shop.siteId)
  await page.goto(`${service.address}/console/settings`)
  // The browser itself gets a file from outside, as from a folder of the desktop: no script makes the event.
  const at = await page.locator('[data-file]').boundingBox()
  const devtools = await page.context().newCDPSession(page)
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-drop-'))
  const path = join(directory, 'tea.jpg')
  writeFileSync(path, await photo(page))
  const where = { x: (at?.x ?? 0) + (at?.width ?? 0) / 2, y: (at?.y ?? 0) + (at?.height ?? 0) / 2 }
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, ...where, data })
  await shown(page, 'logo').locator('img').waitFor()
  rmSync(directory, { recursive: true })
  await page.getByRole('button', { name: 'Сохранить' }).click()
  await page.waitForURL('**done=saved')
  expect(await shown(page, 'logo').locator('img').getAttribute('src')).toMatch(/logo\//)
  expect(faults).toEqual([])
})

it('a file that is no picture is refused at once, and the logo stays', async () => {
  const shop = await openShop(service, { name: 'Чайная' })
  const { page } = await signIn(browser, service, shop.siteId)
  await page.goto(`${service.address}/console/settings`)
  await page
    .locator('[data-file]')
    .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
  await page.getByText('Браузер не смог прочитать этот файл').waitFor()
  expect(await page.locator('[name=logo]').inputValue()).toBe('')
  expect(await shown(page, 'logo').textContent()).toBe('Ч')
})
