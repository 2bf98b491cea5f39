// The name of the code in the words of pages: a payment code is the universal one, paid by SBP, and with digital roubles where the shop takes them.
import { describe, expect, it } from 'vitest'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { freshSite } from '../support/admin.ts'
import { open } from '../support/payer.ts'
import { sandbox, serviceWith } from '../support/service.ts'

const BANKS = { dictionary: [{ bankName: 'Сбер', schema: 'bank100000000111' }] }
const external = serviceWith({
  settings: { PAYMENT_NETWORK: 'external', BANKS_URL: 'https://banks.example/' },
  fetchConnector: async () => Response.json(BANKS),
})

const NAMES = {
  ru: { universal: 'ниверсальный QR-код', any: /QR-код/g, sbp: 'СБП', roubles: /цифровы/ },
  en: { universal: 'niversal payment QR code', any: /QR code/g, sbp: 'SBP', roubles: /digital rouble/ },
} as const
const LANGUAGES = ['ru', 'en'] as const

const SHOPS = LANGUAGES.flatMap((language) =>
  [false, true].map((takesRoubles) => ({ language, takesRoubles })),
)

/** A code of a shop that takes digital roubles, or does not. */
async function codeOf(takesRoubles: boolean, type = 'DYNAMIC') {
  const site = freshSite()
  if (takesRoubles) await site.ask('/settings', { method: 'PATCH', body: { digitalRouble: true } })
  const amount = type === 'DYNAMIC' ? { value: 5 } : undefined
  const { answer, linkId } = await site.make({ amount }, { type })
  return { site, answer, linkId }
}

/** The text of a page, and of its pictures. */
const wordsOf = (html: string) =>
  html
    .replace(/<head>.*?<\/head>/s, '')
    .replaceAll(/<img[^>]*alt="([^"]*)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

const pageOf = async (
  { pageUrl }: QrCodeAnswer,
  {
    language,
    below = '',
    service = external,
  }: { language: string; below?: string; service?: typeof external },
) => {
  const link = pageUrl.replace('?', `${below}?`)
  return wordsOf(await (await open(link, { headers: { 'Accept-Language': language } }, service)).text())
}

/** How often a text names the code, and how often by its name in full. */
const namesIn = (text: string, language: (typeof LANGUAGES)[number]) => ({
  all: [...text.matchAll(NAMES[language].any)].length,
  inFull: text.split(NAMES[language].universal).length - 1,
})

describe.each(SHOPS)(
  'in $language, of a shop that takes digital roubles: $takesRoubles',
  ({ language, takesRoubles }) => {
    const { sbp, roubles } = NAMES[language]

    it.each([
      ['the page', '', external],
      ['the list of banks', '/banks', external],
      ['the page of the sandbox', '', sandbox],
    ])('%s names the code in full, with SBP as the way to pay', async (_, below, service) => {
      const { answer } = await codeOf(takesRoubles)
      // The first request finds out that there is a list of banks.
      await pageOf(answer, { language, service })
      const text = await pageOf(answer, { language, below, service })
      const { all, inFull } = namesIn(text, language)
      expect(inFull).toBeGreaterThan(1)
      expect(all).toBe(inFull)
      expect(text).toContain(sbp)
      expect(roubles.test(text)).toBe(takesRoubles)
    })

    it('the receipt names it too', async () => {
      const { site, answer, linkId } = await codeOf(takesRoubles)
      await site.pay(linkId)
      const text = await pageOf(answer, { language })
      expect(namesIn(text, language)).toEqual({ all: 1, inFull: 1 })
      expect([text.includes(sbp), roubles.test(text)]).toEqual([true, takesRoubles])
    })

    it.each(['STATIC', 'COUNTER'])('the sheet of a %s code says it on paper', async (type) => {
      const { answer } = await codeOf(takesRoubles, type)
      const text = await pageOf(answer, { language, below: '/print' })
      expect(text).toContain(language === 'ru' ? 'Универсальный QR-код' : 'Universal payment QR code')
      expect(text).toContain('СБП')
      expect(roubles.test(text)).toBe(takesRoubles)
    })

    it('the page that binds an account names no universal code and no digital roubles', async () => {
      const { answer } = await codeOf(takesRoubles, 'TOKEN')
      const text = await pageOf(answer, { language })
      const { all, inFull } = namesIn(text, language)
      expect([all > 1, inFull, roubles.test(text)]).toEqual([true, 0, false])
    })
  },
)
