// The accountant's report as a file: in Russian one that a Russian spreadsheet opens, in English that of the API.
import { escapeFormula } from '../../contract/csv.ts'
import { ReportJson } from '../../contract/payments-report.ts'
import type { Chunk } from '../../http/stream.ts'
import { METHOD_TEXTS } from '../../web/method-texts.ts'
import {
  BYTE_ORDER_MARK,
  spreadsheetAmount,
  spreadsheetDigits,
  spreadsheetLine,
  spreadsheetTime,
} from '../csv.ts'
import { csvHeaders } from '../list-file.ts'
import { asked, textsOf } from '../parts.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import type { Visit } from '../visit.ts'

export async function accountantsReport(visit: Visit): Promise<Response> {
  const query = { from: asked(visit, 'from'), to: asked(visit, 'to') }
  const of = (mediaType: string) => ({ query, headers: { Accept: mediaType } })
  if (visit.language === 'en') return visit.file('getPaymentsReport', of('text/csv'))
  const report = await visit.call('getPaymentsReport', of('application/x-ndjson'))
  if (!('file' in report) || typeof report.file === 'string' || report.file instanceof Uint8Array)
    throw new TypeError('the report is no stream')
  const headers = csvHeaders(`report-${visit.siteId}-${query.from}-${query.to}`)
  return visit.stream(linesOf(report.file, visit), headers)
}

/** Each part has whole lines. */
async function* linesOf(parts: AsyncGenerator<Chunk, void>, visit: Visit): AsyncGenerator<string, void> {
  const { reportColumns } = LIST_TEXTS[visit.language].payments
  let head = BYTE_ORDER_MARK + spreadsheetLine(reportColumns, visit.language)
  for await (const part of parts) {
    if (typeof part !== 'string') throw new TypeError('the report is not text')
    const lines = part.split('\n').filter((line) => line !== '')
    yield head + lines.map((line) => lineOf(ReportJson.parse(JSON.parse(line)), visit)).join('')
    head = ''
  }
}

function lineOf(line: ReportJson, visit: Visit): string {
  const { language } = visit
  const { yes, no } = textsOf(visit)
  const { payment, refund } = LIST_TEXTS[language].payments
  return spreadsheetLine(
    [
      line.type === 'REFUND' ? refund : payment,
      spreadsheetTime(line.dateTime, language),
      line.bankDateTime === undefined ? '' : spreadsheetTime(line.bankDateTime, language),
      spreadsheetAmount(line.amount, language),
      line.currency,
      escapeFormula(line.paymentUid),
      escapeFormula(line.refundUid),
      escapeFormula(line.qrCodeUid),
      escapeFormula(line.saleUid),
      line.applied ? yes : no,
      escapeFormula(line.payerBank),
      escapeFormula(line.networkUid),
      escapeFormula(line.paymentPurpose),
      spreadsheetDigits(line.receiptNumber, language),
      line.receiptDateTime === undefined ? '' : spreadsheetTime(line.receiptDateTime, language),
      ...[line.fn, line.fd, line.fpd].map((text) => spreadsheetDigits(text, language)),
      line.method ? METHOD_TEXTS[language][line.method] : '',
    ],
    language,
  )
}
