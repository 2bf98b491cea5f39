// What a bank calls an operation is short: a file with a page of text in place of a number would be stored in steps that are too large.
import { expect, it } from 'vitest'
import { parserOf } from '../../src/settlement/formats/formats.ts'
import type { SettlementBank, SettlementFormat } from '../../src/settlement/sources.ts'
import { type Encoding, encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { raiffeisenLine, raiffeisenText } from '../support/settlement/raiffeisen.ts'
import { account, BANK_ACCOUNT, credit, statementText } from '../support/settlement/statement.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { groupText, linkPayment, payLine, payText, registryText } from '../support/settlement/tochka.ts'

/** A file whose operation has such a number. */
const FILES: [string, SettlementBank, SettlementFormat, Encoding, (id: string) => string][] = [
  ['order', 'tbank', 'registry', 'windows-1251', (order) => tbankText([tbankLine({ order })])],
  [
    ...(['id заказа', 'raiffeisen', 'registry', 'windows-1251'] as const),
    (id) => raiffeisenText([raiffeisenLine({ 'id заказа': id })], ['100.00', '0.40']),
  ],
  ['QRC_ID', 'tochka-pay', 'registry', 'utf-8', (id) => payText([payLine({ QRC_ID: id })])],
  ['ORDER_UID', 'tochka-pay', 'registry', 'utf-8', (id) => payText([payLine({ ORDER_UID: id })])],
  [
    ...(['number', 'tochka', 'registry', 'utf-8'] as const),
    (id) => registryText(groupText(GROUP, [linkPayment({ number: `"${id}"` })])),
  ],
  [
    ...(['paymentId', 'tochka', 'registry', 'utf-8'] as const),
    (id) => registryText(groupText({ ...GROUP, paymentId: `"${id}"` }, [linkPayment()])),
  ],
  [
    ...(['Номер', 'tbank', 'statement', 'windows-1251'] as const),
    (id) =>
      statementText([credit({ Сумма: '99.30', Номер: id, НазначениеПлатежа: 'Возмещение' })], {
        accounts: [account({ ВсегоПоступило: '99.30' })],
      }),
  ],
]
const GROUP = { paymentType: '"sbp"', totalAmount: '100.00', paymentId: '"A1"' }

it.each(FILES)(
  '%s of a file of %s, %s, has at most 256 characters',
  async (name, bank, format, encoding, text) => {
    const parse = parserOf(bank, format, { payoutAccounts: [BANK_ACCOUNT] })
    const read = (length: number) => outcomeOf(parse, streamOf(encode(text('7'.repeat(length)), encoding)))
    expect(await read(256)).toMatchObject({ entries: [{}] })
    const { faults } = { faults: {}, ...(await read(257)) }
    expect(Object.entries(faults)).toEqual([
      [
        expect.stringMatching(new RegExp(`\\.${name}$`)),
        [`is ${'7'.repeat(40)}…, must have at most 256 characters`],
      ],
    ])
  },
)
