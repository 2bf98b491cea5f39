// The files of settlement, opened by LibreOffice: sums are those of the page, dates are dates, and no cell runs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { requires } from '../support/requires.ts'
import { FORMULA, SEEDED } from '../support/settlement/seeded-month.ts'
import { type Story, tenDaysLater } from '../support/settlement/story.ts'
import { hasLibreOffice, type SheetCell, sheetOf } from '../support/spreadsheet.ts'

const COLUMNS = {
  ru: {
    gross: 'Сумма',
    fee: 'Комиссия',
    net: 'Квыплате',
    day: 'Деньвыплаты',
    time: 'Время',
    purpose: 'Назначение',
  },
  en: {
    gross: 'Amount',
    fee: 'Fee',
    net: 'Tobepaidout',
    day: 'Dayofpayout',
    time: 'Time',
    purpose: 'Purpose',
  },
} as const

describe.runIf(requires('libreoffice', hasLibreOffice()))('in LibreOffice (libreoffice-calc-nogui)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-settlement-sheets-'))
  let story: Story
  let cookie = ''
  const base = () => `${story.service.address}/console/sites/${story.siteId}`

  beforeAll(async () => {
    story = await tenDaysLater(inject('build'))
    const { address } = story.service
    const signedIn = await fetch(`${address}/console/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ token: story.token }),
      headers: { Origin: address },
      redirect: 'manual',
    })
    cookie = signedIn.headers.getSetCookie()[0]?.replace(/;.*/, '') ?? ''
    const form = new FormData()
    for (const [name, value] of Object.entries({ bank: 'tbank', format: 'registry' }))
      form.append(name, value)
    form.append('file', new File([story.seeded.file], 'registry.csv'))
    const headers = { Cookie: cookie, Origin: address }
    const uploaded = await fetch(`${base()}/settlement/upload`, {
      ...{ method: 'POST', body: form, headers, redirect: 'manual' },
    })
    expect(uploaded.status).toBe(303)
  })
  afterAll(async () => {
    await story?.dispose()
    rmSync(directory, { recursive: true })
  })

  async function opened(
    path: string,
    language: string,
    encoding?: 'utf-8' | 'windows-1251',
  ): Promise<SheetCell[][]> {
    const headers = { Cookie: cookie, 'Accept-Language': language }
    const response = await fetch(`${base()}/${path}`, { headers })
    expect(response.status).toBe(200)
    const name = `${language}-${encoding ?? 'xlsx'}`
    const bytes = new Uint8Array(await response.arrayBuffer())
    return sheetOf(directory, { name, bytes, ...(encoding && { encoding }) })
  }

  it.each([
    ['a spreadsheet in Russian', 'xlsx', 'ru', undefined],
    ['a spreadsheet in English', 'xlsx', 'en', undefined],
    ['CSV in UTF-8', 'csv', 'ru', 'utf-8'],
    ['CSV in windows-1251', 'csv', 'ru', 'windows-1251'],
  ] as const)(
    '%s has the sums of the page as numbers, and no formula',
    async (_, kind, language, encoding) => {
      const query = encoding === 'windows-1251' ? '&encoding=windows-1251' : ''
      const path = `settlement.${kind}?month=${story.seeded.month}${query}`
      const [head = [], ...rows] = await opened(path, language, encoding)
      const names = COLUMNS[language]
      const column = (name: keyof typeof names) => {
        const index = head.findIndex(({ value }) => value === names[name])
        return rows.map((row) => row[index])
      }
      const sum = (name: keyof typeof names) =>
        column(name).reduce((total, cell) => total + Math.round(100 * Number(cell?.value ?? Number.NaN)), 0)
      expect([sum('gross'), sum('fee'), sum('net')]).toEqual([
        SEEDED.gross + SEEDED.refunded,
        SEEDED.fee,
        SEEDED.gross + SEEDED.refunded + SEEDED.fee,
      ])
      expect(new Set(column('gross').map((cell) => cell?.type))).toEqual(new Set(['float']))
      expect(new Set([...column('day'), ...column('time')].map((cell) => cell?.type))).toEqual(
        new Set(['date']),
      )
      expect([head, ...rows].flat().filter(({ formula }) => formula !== undefined)).toEqual([])
      const shown = FORMULA.replaceAll('"', '&quot;')
      expect(column('purpose').some((cell) => cell?.type === 'string' && cell.value.endsWith(shown))).toBe(
        true,
      )
    },
  )
})
