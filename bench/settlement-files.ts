// Files of banks as long as they may be: each has a payment a line, which the site has too.

import { MAX_FILE } from '../src/contract/settlements/file.ts'
import { roubles } from '../src/settlement/formats/money.ts'
import type { SettlementBank, SettlementFormat } from '../src/settlement/sources.ts'
import { encode } from '../test/support/settlement/files.ts'
import { raiffeisenLine, raiffeisenText } from '../test/support/settlement/raiffeisen.ts'
import { account, credit, statementText } from '../test/support/settlement/statement.ts'
import { tbankLine, tbankText } from '../test/support/settlement/tbank.ts'
import { groupText, linkPayment, payLine, payText, registryText } from '../test/support/settlement/tochka.ts'

export interface LongFile {
  name: string
  bank: SettlementBank
  format: SettlementFormat
  type: string
  /** Of payments from 1 on. */
  bytes: (count: number) => Uint8Array<ArrayBuffer>
}

/** The bank's number of a payment, and the id of its code: digits and letters of both are those of `paymentsOf`. */
const numberOf = (i: number): string => String(700_000_000 + i)
const qrcIdOf = (i: number): string => `AD${String(i).padStart(30, '0')}`

const lines = <Line>(count: number, lineOf: (i: number) => Line): Line[] =>
  Array.from({ length: count }, (_, index) => lineOf(index + 1))

const bytesOf = (text: string, encoding: 'windows-1251' | 'utf-8') => new Uint8Array(encode(text, encoding))

export const FILES: readonly LongFile[] = [
  {
    ...{ name: 'T-Bank', bank: 'tbank', format: 'registry', type: 'text/csv' },
    bytes: (count) => {
      const line = (i: number) =>
        tbankLine({
          number: `${i}`,
          paymentId: numberOf(i),
          operationId: `A${String(i).padStart(31, '0')}`,
          order: '',
        })
      return bytesOf(tbankText(lines(count, line)), 'windows-1251')
    },
  },
  {
    ...{ name: 'Raiffeisenbank', bank: 'raiffeisen', format: 'registry', type: 'text/csv' },
    bytes: (count) => {
      const line = (i: number) => raiffeisenLine({ 'id заказа': '', 'Данные оплаты': qrcIdOf(i) })
      return bytesOf(
        raiffeisenText(lines(count, line), [roubles(10_000 * count), roubles(40 * count)]),
        'windows-1251',
      )
    },
  },
  {
    ...{ name: 'statement of Raiffeisenbank', bank: 'raiffeisen', format: 'statement', type: 'text/plain' },
    bytes: (count) => {
      const purpose = (i: number) =>
        `${numberOf(i)} IPS MA0000000279 Расч по операции СБП [${numberOf(i)} - ${qrcIdOf(i)} - 0079066312345] за 20/11/26. НДС не обл`
      const document = (i: number) => credit({ Номер: numberOf(i), НазначениеПлатежа: purpose(i) })
      const turnover = account({ ВсегоПоступило: `${100 * count}` })
      return bytesOf(statementText(lines(count, document), { accounts: [turnover] }), 'windows-1251')
    },
  },
  {
    ...{ name: 'Tochka', bank: 'tochka', format: 'registry', type: 'application/json' },
    bytes: (count) => {
      // A group of one payment names it by the network's number.
      const group = (i: number) =>
        groupText({ paymentType: '"sbp"', totalAmount: '100.00', paymentId: `"${numberOf(i)}"` }, [
          linkPayment({ operationId: `"op-${i}"`, number: `"order-${i}"` }),
        ])
      return bytesOf(registryText(...lines(count, group)), 'utf-8')
    },
  },
  {
    ...{ name: 'Tochka Pay Gateway', bank: 'tochka-pay', format: 'registry', type: 'text/csv' },
    bytes: (count) => {
      const line = (i: number) => payLine({ TRANSACTION_ID: numberOf(i), ORDER_UID: '', QRC_ID: qrcIdOf(i) })
      return bytesOf(payText(lines(count, line)), 'utf-8')
    },
  },
]

/** How many operations a file may have: a statement has twenty lines for each. */
export const linesThatFit = ({ bytes }: LongFile): number => {
  const [few, more] = [bytes(1_000).length, bytes(2_000).length]
  return Math.floor(((MAX_FILE - few) / (more - few)) * 1_000)
}

/** The payments of the file in the tables of a site: like the first one, which the service has written. */
export const paymentsOf = (count: number, bank: SettlementBank): string => `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
  BEGIN;
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
  INSERT INTO payments (payment_uid, link_id, status, minor_units, currency, created_at, changed_at, applied, network,
      not_applied_reason, network_uid, bank)
    SELECT '${700_000_000}' + i, 'AD' || substr('000000000000000000000000000000' || i, -30), 'COMPLETED', 10000, 'RUB',
      unixepoch('2026-11-20 06:05:30'), unixepoch('2026-11-20 06:05:30'), 0, network, 'UNKNOWN_QR_CODE', '${700_000_000}' + i, '${bank}'
    FROM n CROSS JOIN payments WHERE number = 1;
  COMMIT;
  PRAGMA journal_mode = WAL`
