// The page of a receipt that the sandbox's cash register has made: a test, which no tax service knows (contract, section 15).
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import type { ReceiptSettings } from '../../contract/receipts/receipt.ts'
import type { AppEnv } from '../../http/app-env.ts'
import type { Language } from '../../http/negotiation.ts'
import { layout } from '../layout.ts'
import { languageOf, page } from '../page.ts'
import { paper, type Seller } from './paper.ts'

const TEXTS: Record<Language, { title: string; print: string; stamp: string; why: string }> = {
  ru: {
    title: 'Тестовый чек',
    print: 'Распечатать',
    stamp: 'Тест: это не фискальный документ',
    why: 'Чек сделала касса тестового стенда. В налоговую он не передан, и проверить его нигде нельзя.',
  },
  en: {
    title: 'Test receipt',
    print: 'Print',
    stamp: 'Test: not a fiscal document',
    why: 'The sandbox’s own register made this receipt. No tax service has it, and it can be checked nowhere.',
  },
}

interface ShownReceipt {
  document: ReceiptDocument
  seller: Seller
  settings: Pick<ReceiptSettings, 'place' | 'email'>
  utcOffset: string
  /** From the page to the root of the service. */
  root: string
}

/** The receipt as a page that can be printed. */
export function receiptPage(
  c: Context<AppEnv>,
  { document, seller, settings, utcOffset, root }: ShownReceipt,
): Promise<Response> {
  const language = languageOf(c)
  const { title, print, stamp, why } = TEXTS[language]
  const { place, email } = settings
  const printed = { ...document, place, email, at: document.registeredAt ?? document.createdAt }
  return page(
    c,
    layout({
      language,
      title: [title, seller.name].join(' · '),
      root,
      addressIn: (other) => `?lang=${other}`,
      style: 'payer',
      script: 'print',
      sandbox: true,
      brand: html`<p class="shop"><bdi>${seller.name}</bdi></p>`,
      main: html`<link rel="stylesheet" href="${root}paper.css">
    <main class="paper">
      <h1>${title}</h1>
      ${paper(printed, seller, { language, utcOffset, stamp })}
      <p class="advice">${why}</p>
      <p class="scripted"><button type="button" class="button quiet" data-print>${print}</button></p>
    </main>`,
    }),
  )
}
