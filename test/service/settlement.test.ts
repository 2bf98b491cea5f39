// npm run settlement: what it prints of a file of each bank, and what ends it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { encode } from '../support/settlement/files.ts'
import { raiffeisenLine, raiffeisenRefund, raiffeisenText } from '../support/settlement/raiffeisen.ts'
import {
  ACCOUNT,
  account,
  BANK_ACCOUNT,
  credit,
  debit,
  fee,
  paid,
  refunded,
  statementText,
} from '../support/settlement/statement.ts'
import { tbankCard, tbankLine, tbankText } from '../support/settlement/tbank.ts'
import {
  groupText,
  linkPayment,
  payLine,
  payRefund,
  payText,
  registryText,
} from '../support/settlement/tochka.ts'
import { zipOf } from '../support/settlement/zip.ts'

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-settlement-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = join(directory, 'file')

const REGISTRY = ['--bank', 'tbank', '--format', 'registry']
const STATEMENT = ['--bank', 'raiffeisen', '--format', 'statement']
const PAY = ['--bank', 'tochka-pay', '--format', 'registry']

/** The process may read files, and do nothing else; a connection ends it. */
const RIGHTS = [
  ...['--permission', '--allow-fs-read=*'],
  '--import=data:text/javascript,import net from "node:net"; net.Socket.prototype.connect = () => process.exit(9)',
]

const run = (...options: string[]) => {
  const script = ['--disable-warning=ExperimentalWarning', 'bin/settlement/settlement.ts']
  const { status, stdout, stderr } = spawnSync(process.execPath, [...RIGHTS, ...script, ...options], {
    encoding: 'utf8',
  })
  return { status, output: stdout, error: stderr }
}
const read = (bytes: Uint8Array, ...options: string[]) => {
  writeFileSync(file, bytes)
  return run(file, ...options)
}

const TBANK_FILE = tbankText([
  tbankLine({}),
  tbankLine({ number: '2', paymentId: '700000002', paidOn: '22.11.2026' }),
  tbankCard({ number: '3', amount: '500.00', fee: '12.50', toBePaid: '487.50' }),
  tbankLine({ number: '4', type: 'Credit', amount: '-30.00', fee: '0.20', toBePaid: '-30.20' }),
  tbankLine({ number: '5', type: 'CancelRefund', amount: '20.00', fee: '0.00', toBePaid: '20.00' }),
  tbankLine({ number: '6', type: 'ServiceFee', amount: '-99.00', fee: '0.00', toBePaid: '-99.00' }),
])
const PAY_FILE = encode(payText([payLine(), payRefund()]), 'utf-8')
const PAY_OUTPUT = `period: 2026-11-20 to 2026-11-20
operations: 2
skipped: 0

kind     count   gross    fee      feeVat  feeVatSeparate         net
payment      1  100.00  -0.80  not stated           -0.14  not stated
refund       1  -30.00   0.00  not stated      not stated  not stated

paidOn      count  gross    fee      feeVat  feeVatSeparate         net  skippedNet      payout
not stated      2  70.00  -0.80  not stated  -0.14 (1 of 2)  not stated        0.00  not stated
`

const STATEMENT_FILE = statementText(
  [
    credit({ НазначениеПлатежа: paid() }),
    debit({ Сумма: '30', НазначениеПлатежа: refunded() }),
    debit({ Сумма: '0.7', НазначениеПлатежа: fee() }),
    credit({ Сумма: '5', НазначениеПлатежа: 'Аренда' }, { Счет: '40702810700009999999', ИНН: '1' }),
  ],
  { accounts: [account({ ВсегоПоступило: '105', ВсегоСписано: '30.7' })] },
)
const PAYOUTS_FILE = statementText([credit({ Сумма: '169.40', НазначениеПлатежа: 'Выплата' })], {
  accounts: [account({ ВсегоПоступило: '169.4' })],
})

describe('a file', () => {
  it.each<[string, Uint8Array, options: string[], output: string]>([
    [
      "T-Bank's registry",
      encode(TBANK_FILE, 'windows-1251'),
      REGISTRY,
      `period: 2026-11-20 to 2026-11-20
operations: 6
skipped: 1, net 487.50

kind        count       gross     fee      feeVat  feeVatSeparate     net
payment         2      200.00   -1.40  not stated      not stated  198.60
refund          1      -30.00   -0.20  not stated      not stated  -30.20
correction      1       20.00    0.00  not stated      not stated   20.00
fee             1  not stated  -99.00  not stated      not stated  -99.00

paidOn      count           gross     fee      feeVat  feeVatSeparate    net  skippedNet      payout
2026-11-21      4  90.00 (3 of 4)  -99.90  not stated      not stated  -9.90      487.50  not stated
2026-11-22      1          100.00   -0.70  not stated      not stated  99.30        0.00  not stated
`,
    ],
    [
      "Raiffeisenbank's registry",
      encode(raiffeisenText([raiffeisenLine(), raiffeisenRefund()], ['70.00', '0.40']), 'windows-1251'),
      ['--bank', 'raiffeisen', '--format', 'registry'],
      `period: 2026-11-01 to 2026-11-30
operations: 2
skipped: 0

kind     count   gross    fee      feeVat  feeVatSeparate         net
payment      1  100.00  -0.40  not stated      not stated  not stated
refund       1  -30.00   0.00  not stated      not stated  not stated

paidOn      count  gross    fee      feeVat  feeVatSeparate         net  skippedNet      payout
not stated      2  70.00  -0.40  not stated      not stated  not stated        0.00  not stated
`,
    ],
    [
      "Tochka's registry of payment links",
      encode(
        registryText(
          groupText({ paymentType: '"sbp"', totalAmount: '100.00', paymentId: '"A1"' }, [linkPayment()]),
        ),
        'utf-8',
      ),
      ['--bank', 'tochka', '--format', 'registry'],
      `period: 2026-11-20 to 2026-11-20
operations: 1
skipped: 0

kind     count   gross    fee      feeVat  feeVatSeparate    net
payment      1  100.00  -0.70  not stated      not stated  99.30

paidOn      count   gross    fee      feeVat  feeVatSeparate    net  skippedNet      payout
not stated      1  100.00  -0.70  not stated      not stated  99.30        0.00  not stated
`,
    ],
    ["Pay Gateway's registry", PAY_FILE, PAY, PAY_OUTPUT],
    ["Pay Gateway's registry in a zip", zipOf([{ content: PAY_FILE }]), PAY, PAY_OUTPUT],
    [
      "Raiffeisenbank's statement",
      encode(STATEMENT_FILE, 'windows-1251'),
      STATEMENT,
      `period: 2026-11-01 to 2026-11-30
operations: 4
skipped: 1, net not stated

kind     count       gross         fee      feeVat  feeVatSeparate         net
payment      1      100.00  not stated  not stated      not stated  not stated
refund       1      -30.00  not stated  not stated      not stated  not stated
fee          1  not stated       -0.70  not stated      not stated  not stated

paidOn      count           gross             fee      feeVat  feeVatSeparate         net  skippedNet      payout
2026-11-21      3  70.00 (2 of 3)  -0.70 (1 of 3)  not stated      not stated  not stated  not stated  not stated
`,
    ],
    [
      'a statement with payouts',
      encode(PAYOUTS_FILE, 'windows-1251'),
      [
        ...['--bank', 'tbank', '--format', 'statement', '--payout-account', ACCOUNT],
        ...['--payout-account', BANK_ACCOUNT],
      ],
      `period: 2026-11-01 to 2026-11-30
operations: 1
skipped: 0

kind    count   gross         fee      feeVat  feeVatSeparate         net
payout      1  169.40  not stated  not stated      not stated  not stated

paidOn      count       gross         fee      feeVat  feeVatSeparate         net  skippedNet  payout
2026-11-21      0  not stated  not stated  not stated      not stated  not stated        0.00  169.40
`,
    ],
    [
      'a day without operations',
      new Uint8Array(),
      REGISTRY,
      'period: not stated\noperations: 0\nskipped: 0\n',
    ],
  ])('of %s', (_, bytes, options, output) =>
    expect(read(bytes, ...options)).toEqual({ status: 0, output, error: '' }),
  )
})

it('prints nothing of a payer, an order or a purpose', () => {
  const outputs = [
    read(encode(TBANK_FILE, 'windows-1251'), ...REGISTRY),
    read(encode(STATEMENT_FILE, 'windows-1251'), ...STATEMENT),
  ]
  for (const { status, output } of outputs) {
    expect(status).toBe(0)
    expect(output).not.toMatch(/903|XXX|\*|7890|Чай|Ассам|TeaShop|tea-1|Аренда|9066312345/)
  }
})

it('ends with 1 and prints each fault by line and column, without the telephone that it is about', () => {
  const swapped = tbankLine({ payer: 'SBP', system: '+7(903)123-45-67', amount: '1,00' })
  expect(read(encode(tbankText([swapped]), 'windows-1251'), ...REGISTRY)).toEqual({
    ...{ status: 1, output: '' },
    error: `lines[1].system is ***, must be one of SBP, Visa, MC, Mir, T-Pay, SberPay
lines[1].amount is 1,00, must have two digits behind a point
`,
  })
})

it.each<[string, Uint8Array, options: string[], error: string]>([
  [
    "another bank's file",
    PAY_FILE,
    REGISTRY,
    "file is Tochka Pay Gateway's registry, must be T-Bank's registry",
  ],
  [
    'a zip of two files',
    zipOf([{ content: PAY_FILE }, { content: PAY_FILE, name: 'b.csv' }]),
    PAY,
    'file is a zip of 2 files, must have one',
  ],
  [
    'a file that is too large',
    encode(`1CClientBankExchange\n${`a=${'b'.repeat(60_000)}\n`.repeat(600)}`, 'utf-8'),
    STATEMENT,
    'the file is too large, must be at most 33554432 bytes',
  ],
])('%s ends with 1 and its reason', (_, bytes, options, error) =>
  expect(read(bytes, ...options)).toEqual({ status: 1, output: '', error: `${error}\n` }),
)

it.each<[string[], error: string]>([
  [[], 'exactly one FILE is required: see --help'],
  [['a', 'b', ...REGISTRY], 'exactly one FILE is required: see --help'],
  [
    ['a', '--format', 'registry'],
    '--bank is not given, must be one of tbank, raiffeisen, tochka, tochka-pay',
  ],
  [
    ['a', '--bank', 'tbak', '--format', 'registry'],
    '--bank is tbak, must be one of tbank, raiffeisen, tochka, tochka-pay',
  ],
  [['a', '--bank', 'tbank'], '--format is not given, must be one of registry, statement'],
  [['a', '--bank', 'tbank', '--format', 'csv'], '--format is csv, must be one of registry, statement'],
  [['a', ...REGISTRY, '--bnak', 'tbank'], '--bnak is unknown, did you mean --bank'],
  [['a', '--bank', '', '--format', 'csv'], '--bank is empty, must have a value'],
  [['a', ...REGISTRY, '--payout-account', ACCOUNT], '--payout-account is of --format statement alone'],
  [
    ['a', '--bank', 'tbank', '--format', 'statement', '--payout-account', '123'],
    '--payout-account is 123, must have 20 digits',
  ],
  [['/nowhere/a', ...REGISTRY], '/nowhere/a cannot be read: no such file or directory'],
  [['bin', ...REGISTRY], 'bin cannot be read: illegal operation on a directory'],
])('%j ends with 2 and says why', (options, error) =>
  expect(run(...options)).toEqual({ status: 2, output: '', error: `${error}\n` }),
)

it('--help is its usage', () =>
  expect(run('--help')).toEqual({
    ...{ status: 0, error: '' },
    output: expect.stringMatching(/^npm run settlement -- FILE --bank BANK --format FORMAT /),
  }))
