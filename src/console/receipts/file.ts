// The receipts of a site as a file: those that the filters ask for, without the contact.
import { formatMinorUnits } from '../../contract/amount.ts'
import { escapeFormula } from '../../contract/csv.ts'
import { formatDateTime } from '../../contract/date-time.ts'
import type { Fiscal, ReceiptDocument } from '../../contract/receipts/document.ts'
import { seeOther } from '../../http/response.ts'
import { RECEIPT_WORDS } from '../../web/receipts/words.ts'
import { spreadsheetAmount, spreadsheetDigits, spreadsheetLine, spreadsheetTime } from '../csv.ts'
import { dayFaults } from '../days.ts'
import { listFile } from '../list-file.ts'
import { stateName } from '../parts.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import type { Visit } from '../visit.ts'
import { adviceOf, receiptState } from './advice.ts'
import { foundReceipts, queryOf } from './list.ts'

export async function file(visit: Visit): Promise<Response> {
  if (dayFaults(visit)) return seeOther(visit.c, `receipts?${queryOf(visit)}`)
  return listFile(visit, {
    name: 'receipts',
    columns: RECEIPT_TEXTS[visit.language].columns,
    async page(page) {
      const { documents: rows, next } = await foundReceipts(visit, page)
      return { rows, next }
    },
    line: (document) => lineOf(document, visit),
  })
}

function lineOf(document: ReceiptDocument, visit: Visit): string {
  const { language, config } = visit
  const { kind, state, createdAt, amount, qrCodeUid, paymentUid, refundUid, taxation } = document
  const { number, shift, fn, fd, fpd, registration, dateTime }: Fiscal = document.fiscal ?? {}
  const time = (at: number | undefined) =>
    at === undefined ? '' : spreadsheetTime(formatDateTime(at, config.utcOffset), language)
  const isRussian = language === 'ru'
  const texts = RECEIPT_TEXTS[language]
  return spreadsheetLine(
    [
      isRussian ? texts.kinds[kind] : kind,
      isRussian ? stateName(receiptState(document), visit) : state,
      time(createdAt),
      time(dateTime),
      spreadsheetAmount(`${kind === 'refund' ? '-' : ''}${formatMinorUnits(amount.minorUnits)}`, language),
      amount.currency,
      escapeFormula(qrCodeUid),
      escapeFormula(paymentUid),
      escapeFormula(refundUid),
      ...[number, shift, fn, fd, fpd, registration].map((text) => spreadsheetDigits(text, language)),
      taxation ? (isRussian ? RECEIPT_WORDS[language].taxations[taxation] : taxation) : '',
      reasonOf(document, visit),
    ],
    language,
  )
}

/** Why a document is not registered; in English as the API says it. */
function reasonOf(document: ReceiptDocument, { language }: Visit): string {
  const { error, held } = document
  const words = error?.text ?? held
  const name = adviceOf(document)
  const text = language === 'ru' && name ? RECEIPT_TEXTS.ru.advice[name].happens : (error?.reason ?? '')
  return escapeFormula([text, words].filter(Boolean).join(': '))
}
