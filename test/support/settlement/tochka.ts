// Tochka's registry of payment links, and that of its Pay Gateway, with invented values.
import type { Cells } from './tbank.ts'

export const PAY_COLUMNS = [
  ...['TRANS_DATE', 'TRANSACTION_ID', 'SUM', 'COMMISSION', 'ITV_COMMISSION', 'USER_INFO', 'MERCH'],
  ...['MERCH_SITE', 'PARENT_TRANSACTION_ID', 'TRANSACTION_TYPE', 'MERCHANT_SITE_NAME'],
  ...['PAYMENT_METHOD_TYPE', 'RRN', 'AUTH_CODE', 'ORDER_UID', 'QRC_ID'],
  ...['COMMISSION_NDS', 'ITV_COMMISSION_NDS'],
]

/** A payment by a QR code; what is given replaces its cells. */
export const payLine = (cells: Cells = {}): Cells => ({
  ...{ TRANS_DATE: '20.11.2026 09:05:30', TRANSACTION_ID: 'pay-1', SUM: '100,00', COMMISSION: '0,70' },
  ...{ ITV_COMMISSION: '0,10', USER_INFO: '', MERCH: 'tea', MERCH_SITE: 'tea-1', PARENT_TRANSACTION_ID: '' },
  ...{ TRANSACTION_TYPE: 'PAYMENT', MERCHANT_SITE_NAME: 'https://tea.example', PAYMENT_METHOD_TYPE: 'SBP' },
  ...{ RRN: '', AUTH_CODE: '', ORDER_UID: 'order-1', QRC_ID: 'AD10006M8KH234K782OQM0L13JI31LQD' },
  ...{ COMMISSION_NDS: '0,12', ITV_COMMISSION_NDS: '0,02', ...cells },
})

export const payRefund = (cells: Cells = {}): Cells =>
  payLine({
    ...{
      TRANSACTION_TYPE: 'REFUND',
      TRANSACTION_ID: 'refund-1',
      PARENT_TRANSACTION_ID: 'pay-1',
      SUM: '30,00',
    },
    ...{ COMMISSION: '0,00', ITV_COMMISSION: '', COMMISSION_NDS: '', ITV_COMMISSION_NDS: '', ...cells },
  })

export function payText(lines: readonly Cells[], { header = true, columns = PAY_COLUMNS } = {}): string {
  const rows = lines.map((cells) => columns.map((name) => cells[name] ?? ''))
  return [...(header ? [columns] : []), ...rows].map((cells) => `${cells.join(';')}\n`).join('')
}

/** A payment by a link; values are JSON texts, undefined leaves a key out. */
export const linkPayment = (
  members: Record<string, string | undefined> = {},
): Record<string, string | undefined> => ({
  ...{ purpose: '"Чай Ивановой"', status: '"APPROVED"', amount: '100.00', operationId: '"op-1"' },
  ...{ paymentLink: '"https://pay.example/1"', time: '"2026-11-20T09:05:30+03:00"', number: '"order-1"' },
  ...{ commission: '0.70', enrollmentAmount: '99.30', ...members },
})

export const objectText = (members: Record<string, string | undefined>): string =>
  `{${Object.entries(members)
    .flatMap(([key, value]) => (value === undefined ? [] : [`"${key}": ${value}`]))
    .join(', ')}}`

/** The members of a group, without its payments, which are behind them. */
export const groupText = (
  members: Record<string, string | undefined>,
  payments: readonly Record<string, string | undefined>[],
): string => objectText({ ...members, payments: `[${payments.map(objectText).join(', ')}]` })

export const registryText = (...groups: string[]): string =>
  `{"Data": {"Registry": [${groups.join(',')}]}, "Links": {"self": "/"}, "Meta": {"totalPages": 1}}`
