// The first page: a day's figures and payments (docs/console.md).
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshSite } from '../support/admin.ts'
import { browserOf } from '../support/console.ts'
import { serviceWith } from '../support/service.ts'

/** A service by the clock of the test. */
const service = serviceWith({ now: () => Date.now() })

afterEach(() => vi.useRealTimers())

/** The pages of a site. */
async function pagesOf(siteId: string) {
  const browser = browserOf(service)
  await browser.signIn({ sub: siteId, scope: 'merchant:admin' })
  return async (path: string) => (await browser.get(path)).text()
}

describe('a past day', () => {
  it('shows its own payments, of the offset, and nothing that waits for a decision now', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = freshSite(service)
    /** A payment that no QR code took, at a time of the offset +03:00. */
    const paidAt = async (time: string) => {
      vi.setSystemTime(Date.parse(`${time}+03:00`))
      const { linkId } = await site.make()
      await site.pay(linkId)
      return (await site.pay(linkId)).paymentUid
    }
    const uids = [
      await paidAt('2026-11-20T23:59:59'),
      await paidAt('2026-11-21T00:00:00'),
      await paidAt('2026-11-21T23:59:59'),
      await paidAt('2026-11-22T00:00:00'),
    ]
    const page = await pagesOf(site.siteId)
    const shown = (text: string) => uids.flatMap((uid, i) => (text.includes(`payments/${uid}"`) ? [i] : []))
    const DECISION = 'Требуют решения'
    const past = await page('/?date=2026-11-21')
    expect([shown(past), past.includes(DECISION)]).toEqual([[1, 2], false])
    expect(past).toContain('payments?from=2026-11-21&amp;to=2026-11-21"')
    expect(await page('/?date=2026-11-19')).toContain('В эти дни платежей не было')
    const present = await page('/?date=2026-11-22')
    expect([shown(present), present.includes(DECISION)]).toEqual([[0, 1, 2, 3], true])
    const HINT = 'включая не подошедшие'
    expect([past, present].map((text) => text.includes(HINT))).toEqual([true, true])
    vi.setSystemTime(Date.parse('2026-11-23T00:00:00+03:00'))
    expect(await (await pagesOf(site.siteId))('/')).not.toContain(HINT)
  })
})

describe('the figures of a day', () => {
  it.each([
    [
      'ru',
      'платежей: 2, включая не подошедшие ни к одному QR-коду',
      ['получено', 'в прошлом периоде'],
      'Платежи',
      'оплачено 1 из 1',
    ],
    [
      'en',
      '2 payments, including some that fit no QR code',
      ['received', 'the period before'],
      'Payments',
      '1 of 1 paid',
    ],
  ])(
    'count payments as payments, and only codes as paid, in %s',
    async (language, received, names, column, conversion) => {
      const site = freshSite(service)
      const { linkId } = await site.make()
      await site.pay(linkId)
      const alone = await (await pagesOf(site.siteId))(`/?lang=${language}`)
      expect(alone).toContain(
        `${received.split(', ')[0]?.replace('2', '1').replace('payments', 'payment')}</small>`,
      )
      await site.pay(linkId)
      const text = await (await pagesOf(site.siteId))(`/?lang=${language}`)
      expect(text).toContain(`${received}</small>`)
      expect(text).toContain(`<small>${conversion}</small>`)
      const key = /<p class="key">.*?<\/p>/s.exec(text)?.[0].replaceAll(/<[^>]*>/g, ' ') ?? ''
      expect(
        key
          .split(/\s{2,}/)
          .map((name) => name.trim())
          .filter(Boolean),
      ).toEqual(names)
      expect(text).toMatch(new RegExp(`<th [^>]*>${column}</th>`))
    },
  )
})

describe('a week', () => {
  it('has what is left after refunds, and by how much that is more than in the week before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = freshSite(service)
    const at = (time: string) => vi.setSystemTime(Date.parse(`${time}+03:00`))
    const paid = async () => (await site.pay((await site.make()).linkId)).paymentUid
    at('2026-11-12T12:00:00')
    const paymentUid = await paid()
    await paid()
    at('2026-11-19T12:00:00')
    for (let i = 0; i < 4; i++) await paid()
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED', amount: { value: 2 } })
    at('2026-11-20T12:00:00')
    const page = await pagesOf(site.siteId)
    const shown = await page('/?period=week')
    const text = shown.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(text).toContain('Эта неделя 16–22 ноября')
    expect(text).toContain('Выручка после возвратов 18,00 ₽ +80 % на прошлой неделе к этому времени: 10,00 ₽')
    expect(text).toContain('Возвращено 2,00 ₽ возвратов: 1 на прошлой неделе к этому времени: 0,00 ₽')
    expect(shown).toMatch(/aria-label="Получено 20,00\s₽, возвращено 2,00\s₽. Больше всего чт, 19 нояб/)
    const past = (await page('/?period=week&date=2026-11-12')).replaceAll(/<[^>]*>/g, ' ')
    expect(past).toMatch(/неделей раньше: 0,00\s₽/)
    expect(past).toContain('9–15 ноября')
    expect(await page('/?period=month&date=2026-11-12')).toContain('Этот месяц <small>Ноябрь 2026')
  })
})
