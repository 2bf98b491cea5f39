// A screen against its stored picture, with text as blocks. UPDATE_BASELINES=1 stores what is shown now.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { blockFont } from './block-font.ts'
import { SCREENSHOTS } from './browser.ts'

const STORED = join(import.meta.dirname, '../browser/baselines')
const FONT = `@font-face { font-family: blocks; src: url(data:font/ttf;base64,${blockFont().toString('base64')}) }
* { font-family: blocks !important; caret-color: transparent }
.time, dd { font-variant-numeric: normal }`
/** Of all pixels, how many may differ: curves are drawn a little differently by other versions of the browser. */
export const TOLERANCE = 0.004

/** The share of the pixels that differ from those of the stored picture. The context of the page must bypass its policy. */
export async function differenceFromStored(page: Page, name: string): Promise<number> {
  await page.addStyleTag({ content: FONT })
  await page.evaluate('document.fonts.load("16px blocks").then(() => document.fonts.ready)')
  const shown = await page.screenshot({ animations: 'disabled' })
  writeFileSync(join(SCREENSHOTS, `baseline-${name}.png`), shown)
  const file = join(STORED, `${name}.png`)
  if (process.env.UPDATE_BASELINES) {
    mkdirSync(STORED, { recursive: true })
    writeFileSync(file, shown)
  }
  if (!existsSync(file)) throw new Error(`${file} is not there: UPDATE_BASELINES=1 stores it`)
  return difference(page, readFileSync(file), shown)
}

/** The share of the pixels that differ visibly; 1 where the sizes differ. */
async function difference(page: Page, stored: Buffer, shown: Buffer): Promise<number> {
  const canvas = await page.context().newPage()
  const share = await canvas.evaluate<number>(`(async () => {
    const [a, b] = await Promise.all(['${stored.toString('base64')}', '${shown.toString('base64')}'].map(async (png) => {
      const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob())
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      return context.getImageData(0, 0, bitmap.width, bitmap.height)
    }))
    if (a.width !== b.width || a.height !== b.height) return 1
    let differing = 0
    for (let i = 0; i < a.data.length; i += 4) {
      const distance = Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2])
      if (distance > 48) differing++
    }
    return differing / (a.width * a.height)
  })()`)
  await canvas.close()
  return share
}
