// A site of printed codes: a million payments of one STATIC code, and a million STATIC codes among which DYNAMIC ones are rare.
import { join } from 'node:path'
import { PaymentsAnswer } from '../src/contract/payment.ts'
import { ListAnswer } from '../src/contract/qr-code-list.ts'
import { cursorOf } from '../src/contract/query.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { created, list, paidStatic, payments, read } from './requests.ts'
import { execute, measure, siteFile } from './site-file.ts'
import { median } from './statistics.ts'
import { figure, mebibytes, table } from './table.ts'

const FULL = { count: 1_000_000, times: 21 }
const SMALLEST = { count: 1_000, times: 2 }
const CODE = 'sticker'

export const printed: Part = async ({ directory, ours, isSmallest }) => {
  const { count, times } = isSmallest ? SMALLEST : FULL
  const disk = join(directory, 'printed')
  const first = await serve(ours, disk)
  await created(first.port, 'rare')
  await paidStatic(first.port, CODE)
  await first.stop()

  const file = siteFile(disk)
  execute(file, fillPayments(count))
  execute(file, fillCodes(count))
  const { bytes } = measure(file)

  const server = await serve(ours, disk)
  const pages = {
    'payments of one code: the first page': () => payments(server.port, CODE, '').then(hundred),
    'in the middle': () => payments(server.port, CODE, `&cursor=${cursorOf(count / 2)}`).then(hundred),
    'the last one': () => payments(server.port, CODE, `&cursor=${cursorOf(count - 100)}`).then(hundred),
    'the code itself': async () => {
      const response = await read(server.port, CODE)
      const text = await response.text()
      if (!text.includes(`"paymentUid":"p-${count}"`)) throw new Error(`the code is ${text}`)
    },
    'type=DYNAMIC, one of all': async () => {
      const { qrCodes } = ListAnswer.parse(await list(server.port, '?type=DYNAMIC&limit=100'))
      if (qrCodes.length !== 1) throw new Error(`the list has ${qrCodes.length} QR codes`)
    },
    'type=STATIC, of all': async () => {
      const { qrCodes } = ListAnswer.parse(await list(server.port, '?type=STATIC&limit=100'))
      if (qrCodes.length !== 100) throw new Error(`the list has ${qrCodes.length} QR codes`)
    },
  }
  const rows: string[][] = []
  const figures: Record<string, number> = {}
  for (const [name, ask] of Object.entries(pages)) {
    const ms: number[] = []
    for (let i = 0; i < times; i++) {
      const started = performance.now()
      await ask()
      ms.push(performance.now() - started)
    }
    figures[name] = median(ms)
    rows.push([name, figure(ms[0] ?? Number.NaN), figure(median(ms)), figure(Math.max(...ms))])
  }
  const size = (await (await read(server.port, CODE)).text()).length
  await server.stop()
  return {
    tables: [
      table(
        `Pages of 100 in a site of ${mebibytes(bytes)}, ${count.toLocaleString('en')} payments and as many codes (${times} times; ms; the answer of the code has ${size} bytes)`,
        ['request', 'first', 'median', 'slowest'],
        rows,
      ),
    ],
    figures: {
      payments_page_ms: Math.max(
        ...Object.entries(figures).flatMap(([name, ms]) => (/page|middle|last/.test(name) ? [ms] : [])),
      ),
      list_rare_type_ms: figures['type=DYNAMIC, one of all'] ?? Number.NaN,
    },
    faults: [],
  }
}

const hundred = (answer: unknown): void => {
  const { payments } = PaymentsAnswer.parse(answer)
  if (payments.length !== 100) throw new Error(`the page has ${payments.length} payments`)
}

/** Payments like the first one, and the latest of them at the code. */
const fillPayments = (count: number): string => `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;
  BEGIN;
  WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
  INSERT INTO payments (payment_uid, qr_code, link_id, status, minor_units, currency, created_at, changed_at, applied, network)
    SELECT 'p-' || i, qr_code, link_id, status, minor_units, currency, created_at, changed_at, applied, network
    FROM n CROSS JOIN payments WHERE number = 1;
  UPDATE qr_codes SET payment = ${count} WHERE qr_code_uid = '${CODE}';
  COMMIT;
  PRAGMA journal_mode = WAL`

/** Codes like the STATIC one, created after it. */
const fillCodes = (count: number): string => `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000;
  BEGIN;
  WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
  INSERT INTO qr_codes (qr_code_uid, type, ttl, create_token, link_base, link_id, status, version, created_at)
    SELECT 'code-' || i, type, ttl, create_token, link_base, substr('00000000000000000000000000000000' || i, -32), status, 0, created_at
    FROM n CROSS JOIN qr_codes WHERE qr_code_uid = '${CODE}';
  COMMIT;
  PRAGMA journal_mode = WAL`
