// How SQLite finds rows: every list and lookup by an index, so that none becomes slower as a site grows.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it, vi } from 'vitest'
import type { ReceiptReport } from '../../../src/contract/receipts/report.ts'
import type { Settings } from '../../../src/contract/settings.ts'
import type { Outcome } from '../../../src/errors.ts'
import type { Site } from '../../../src/site/site.ts'
import { createAll, creation, MERCHANT, NETWORK, ORIGIN } from '../../support/site.ts'

const PAGE = { limit: 10 }
const KEY = { qrCodeUid: 'a' }
const AMOUNT = { minorUnits: 500, currency: 'RUB' }
const PAID = { paymentUid: 'p', status: 'COMPLETED', amount: AMOUNT } as const
const BOUND = { bindingUid: 'b', status: 'CREATED', newToken: { value: 'v', hash: 'h', days: 1 } } as const
const TOKEN = { hash: 'h', account: 'customer' }
const CONNECTION = { network: 'external', isConnected: true, utcOffset: '+03:00' } as const
const NOTIFIED: Settings = {
  callbackUrl: 'http://127.0.0.1:9/',
  notificationTypes: ['PAYMENT', 'REFUND', 'TOKEN', 'QR_CODE'],
}

const SHOP = {
  taxation: 'osn',
  vat: 'none',
  place: 'https://shop.example',
  email: 'shop@shop.example',
} as const
const ITEM = { name: 'Tea', price: 500, quantity: 1000, amount: 500 }
const RECEIPT = {
  contact: { email: 'mary@shop.example' },
  items: [{ ...ITEM, method: 'advance' as const }],
}

const BANK_KEY = { linkId: 'q-1', isKept: true }
const BANK_LINK = {
  payload: 'https://bank.example/q-1',
  qrcId: 'q-1',
  endsAt: 4_000_000_000,
  currencies: ['RUB'],
}

const linkIdOf = (uid: string) => uid.padStart(32, '0')
const reported = (uid: string) => ({ linkId: linkIdOf(uid), isKept: true })

type Step = [string, (site: Site) => Promise<Outcome<unknown> | undefined>]

/** The writes of a site's life, in an order in which each succeeds. */
const WRITES: Step[] = [
  [
    'a create',
    (site) =>
      createAll(site, [
        creation('a', { amount: AMOUNT }),
        creation('b'),
        creation('c', { amount: AMOUNT }),
      ]).then(() => undefined),
  ],
  ['settings', (site) => site.replaceSettings(MERCHANT, NOTIFIED, undefined)],
  [
    'a QR code that binds',
    (site) => site.create(creation('t', { type: 'TOKEN', tokenizationAccount: 'customer' })),
  ],
  ['a payment', (site) => site.report(NETWORK, reported('a'), PAID, ORIGIN)],
  ['a binding', (site) => site.reportBinding(NETWORK, reported('t'), BOUND, ORIGIN)],
  ['a charge', (site) => site.charge(MERCHANT, { qrCodeUid: 'c' }, TOKEN, CONNECTION)],
  [
    'a refund',
    (site) =>
      site.refund(MERCHANT, KEY, { refundUid: 'r', amount: { ...AMOUNT, minorUnits: 100 } }, CONNECTION),
  ],
  ['a report of a refund', (site) => site.reportRefund(NETWORK, 'p', 'r', { status: 'COMPLETED' })],
  ['a cancellation', (site) => site.cancel(MERCHANT, { qrCodeUid: 'b' })],
  ['a deletion of a token', (site) => site.deleteToken(MERCHANT, TOKEN, CONNECTION)],
  [
    'a payment of a link of a bank',
    (site) => site.report(NETWORK, BANK_KEY, { ...PAID, paymentUid: 'q' }, ORIGIN),
  ],
  [
    'a create with that link',
    (site) => site.create({ ...creation('bank', { amount: AMOUNT }), registered: BANK_LINK }),
  ],
  [
    'a payment that is not applied',
    (site) => site.report(NETWORK, reported('a'), { ...PAID, paymentUid: 'second' }, ORIGIN),
  ],
  ['a decision about it', (site) => site.decidePayment(MERCHANT, 'second', { value: 'DELIVERED' })],
  ['a revocation', (site) => site.revokeApiKey(MERCHANT, 'key')],
  [
    'a STATIC QR code',
    (site) => site.create(creation('s', { type: 'STATIC', ttl: undefined, amount: AMOUNT })),
  ],
  ['its payment', (site) => site.report(NETWORK, reported('s'), { ...PAID, paymentUid: 's' }, ORIGIN)],
  [
    'its declined test payment',
    (site) =>
      site.simulatePayment(
        NETWORK,
        { qrCodeUid: 's' },
        { ...PAID, paymentUid: 's2', status: 'DECLINED' },
        { ...ORIGIN, network: 'sandbox' },
      ),
  ],
  ['an alarm', async (site) => void (await site.alarm())],
  ['a cash register', (site) => site.setCashRegister(MERCHANT, { kind: 'atol', ffd: '1.2' })],
  [
    'settings of receipts',
    (site) => site.replaceSettings(MERCHANT, { ...NOTIFIED, receipts: SHOP }, undefined),
  ],
  ['a create with a receipt', (site) => site.create(creation('f', { amount: AMOUNT, receipt: RECEIPT }))],
  [
    'its payment, with a document',
    (site) => site.report(NETWORK, reported('f'), { ...PAID, paymentUid: 'f' }, ORIGIN),
  ],
  ['a failed document', (site) => reportFirst(site, { state: 'FAILED', canRetry: true })],
  [
    'its retry',
    async (site) => site.retryReceipt(MERCHANT, (await documents(site))[0]?.receiptUid ?? '', {}),
  ],
  ['its registration', (site) => reportFirst(site, { state: 'REGISTERED', fiscal: {} })],
  [
    'a closing',
    (site) => site.closeReceipt(MERCHANT, 'f', 'c1', { items: [{ ...ITEM, amount: 100, price: 100 }] }),
  ],
  [
    'a refund with a document',
    (site) =>
      site.refund(
        MERCHANT,
        { qrCodeUid: 'f' },
        { refundUid: 'r', amount: { ...AMOUNT, minorUnits: 100 } },
        CONNECTION,
      ),
  ],
  ['its report', (site) => site.reportRefund(NETWORK, 'f', 'r', { status: 'COMPLETED' })],
  [
    'a report of a document that the site does not have',
    async (site) => {
      await site.reportReceipt(NETWORK, '0'.repeat(32), { state: 'SENT' })
      return undefined
    },
  ],
  ['an alarm of a site with documents', async (site) => void (await site.alarm())],
]

/** The documents of the payment, the latest first. */
async function documents(site: Site) {
  const read = await site.receiptsOfPayment(MERCHANT, 'f')
  return read.ok ? read.value.documents.toReversed() : []
}

const reportFirst = async (site: Site, report: ReceiptReport) =>
  site.reportReceipt(NETWORK, (await documents(site))[0]?.receiptUid ?? '', report)

const SITE = 'query-plans'
const inSite = <T>(work: (site: Site, storage: DurableObjectStorage) => Promise<T>): Promise<T> =>
  runInDurableObject(env.SITES.getByName(SITE), (site, { storage }) => work(site, storage))

/** How the statements of a call find rows of tables that grow with a site: the steps of each plan. */
async function plansOf(
  storage: DurableObjectStorage,
  call: () => ReturnType<Step[1]>,
  after = async (_: DurableObjectStorage) => {},
): Promise<string[][]> {
  const { sql } = storage
  const exec = sql.exec.bind(sql)
  const plans: string[][] = []
  const spy = vi.spyOn(sql, 'exec').mockImplementation((query, ...bindings) => {
    if (/^\s*(SELECT|UPDATE|DELETE)/.test(query)) {
      const steps = exec(`EXPLAIN QUERY PLAN ${query}`, ...bindings).toArray()
      const found = steps.map(({ detail }) => String(detail)).filter((step) => GROWING.test(step))
      // It reads one row at an end of the table.
      const isEnd =
        /ORDER BY number( DESC)? LIMIT 1$|FROM \w+ ORDER BY number( DESC)? LIMIT 1\)|^SELECT max\(number\)|^SELECT EXISTS \(SELECT 1 FROM \w+\)$|\(SELECT max\(number\) FROM \w+\)/.test(
          query,
        )
      if (found.length > 0 && !isEnd) plans.push(found)
    }
    return exec(query, ...bindings)
  })
  try {
    const outcome = await call()
    if (outcome && !outcome.ok) throw new Error(outcome.description)
    await after(storage)
  } finally {
    spy.mockRestore()
  }
  return plans
}
const GROWING =
  /^(SEARCH|SCAN) (qr_codes|deleted_qr_codes|payments|refunds|receipts|contacts|tokens|events|outbox|turnover)\b/

/** Partial indexes, which have a row for what is in flight or is due, and the first row of two others. */
const FEW = [
  'SCAN outbox USING INDEX outbox_leased',
  'SCAN outbox USING INDEX outbox_blocked',
  'SCAN contacts USING COVERING INDEX contacts_by_use',
]

const flushed = async (storage: DurableObjectStorage) => {
  await storage.sync()
  await scheduler.wait(0)
}

/** The writes, of which each is there for those that follow. */
const plans = new Map<string, string[][]>()
beforeAll(() =>
  inSite(async (site, storage) => {
    for (const [name, write] of WRITES) plans.set(name, await plansOf(storage, () => write(site), flushed))
  }),
)

it.each(WRITES.map(([name]) => name))('%s scans no table', (name) => {
  const steps = plans.get(name)?.flat() ?? []
  expect(steps.filter((step) => step.startsWith('SCAN') && !FEW.includes(step))).toEqual([])
})

it('a create with the link of a bank does not read the tokens of an account', () => {
  const steps = plans.get('a create with that link')?.flat() ?? []
  expect(steps.filter((step) => step.includes('tokens_by_account'))).toEqual([])
})

const ROWID = 'INTEGER PRIMARY KEY'
const QR_CODE = 'qr_codes USING INDEX sqlite_autoindex_qr_codes_1 (qr_code_uid=?)'
const QR_CODE_NUMBER = 'qr_codes USING COVERING INDEX sqlite_autoindex_qr_codes_1 (qr_code_uid=?)'
const PAYMENT = 'payments USING INDEX sqlite_autoindex_payments_1 (payment_uid=?)'
/** The first end that is not recorded: what a read of events looks for first. */
const NEXT_END = 'qr_codes USING INDEX qr_codes_payable (end_at>?)'

it.each<[string, Step[1], string[]]>([
  ['a QR code', (site) => site.read(MERCHANT, KEY), [QR_CODE]],
  [
    'a QR code by its link',
    (site) => site.read(MERCHANT, { linkId: linkIdOf('a') }),
    ['qr_codes USING INDEX sqlite_autoindex_qr_codes_2 (link_id=?)'],
  ],
  [
    'a QR code by the address of its page',
    async (site) => {
      const read = await site.read(MERCHANT, { qrCodeUid: 'bank' })
      const page = await site.readForPayer({ link: read.ok ? read.value.pageLink : '' })
      return page
    },
    [
      QR_CODE,
      'qr_codes USING INDEX sqlite_autoindex_qr_codes_2 (link_id=?)',
      'qr_codes USING INDEX qr_codes_by_page_id (page_id=?)',
      `payments USING ${ROWID} (rowid=?)`,
    ],
  ],
  [
    'QR codes to ask a bank about',
    (site) => site.networkQrCodes(NETWORK, PAGE),
    [
      'qr_codes USING INDEX qr_codes_ended (<expr>=? AND end_at>?)',
      'qr_codes USING INDEX qr_codes_payable (end_at=? AND rowid>?)',
    ],
  ],
  [
    'refunds to ask a bank about',
    (site) => site.waitingRefunds(NETWORK, 'external', PAGE),
    ['refunds USING INDEX refunds_waiting (number>?)'],
  ],
  [
    'consents that are awaited',
    (site) => site.networkBindings(NETWORK, 'external', { ...PAGE, status: 'WAITING' }),
    [
      'qr_codes USING INDEX qr_codes_by_type (type=? AND status=? AND rowid>?)',
      'tokens USING INDEX tokens_by_time (status=? AND at>?)',
      'qr_codes USING INDEX qr_codes_ended (<expr>=? AND end_at>?)',
      'tokens USING INDEX tokens_by_time (status=? AND at>?)',
    ],
  ],
  [
    'tokens that can be charged',
    (site) => site.networkBindings(NETWORK, 'external', { ...PAGE, status: 'CREATED' }),
    ['tokens USING INDEX tokens_by_time (status=? AND at>?)'],
  ],
  [
    'tokens that ended',
    (site) => site.networkBindings(NETWORK, 'external', { ...PAGE, status: 'ENDED' }),
    Array(3).fill('tokens USING INDEX tokens_by_time (status=? AND at>?)'),
  ],
  [
    'charges that wait',
    (site) => site.waitingCharges(NETWORK, 'external', { ...PAGE, status: 'WAITING' }),
    ['payments USING INDEX payments_by_time (status=? AND created_at>?)'],
  ],
  ['QR codes', (site) => site.list(MERCHANT, PAGE), [`qr_codes USING ${ROWID} (rowid>? AND rowid<?)`]],
  [
    'QR codes by status',
    (site) => site.list(MERCHANT, { ...PAGE, status: ['PAYED'] }),
    ['qr_codes USING INDEX qr_codes_by_status (status=? AND rowid>? AND rowid<?)'],
  ],
  [
    'QR codes by type',
    (site) => site.list(MERCHANT, { ...PAGE, type: ['STATIC'], status: ['CREATED'] }),
    ['qr_codes USING INDEX qr_codes_by_type (type=? AND status=? AND rowid>? AND rowid<?)'],
  ],
  [
    'QR codes by the beginning of their identifier',
    (site) => site.list(MERCHANT, { prefix: 'a', limit: 10 }),
    ['qr_codes USING INDEX sqlite_autoindex_qr_codes_1 (qr_code_uid>? AND qr_code_uid<?)'],
  ],
  [
    'DYNAMIC QR codes that can be paid, of which few are newer',
    (site) => site.list(MERCHANT, { ...PAGE, type: ['DYNAMIC'], status: ['CREATED'] }),
    [`qr_codes USING ${ROWID} (rowid>? AND rowid<?)`],
  ],
  [
    'the latest payment of a STATIC QR code',
    (site) => site.read(MERCHANT, { qrCodeUid: 's' }),
    [`payments USING ${ROWID} (rowid=?)`],
  ],
  ['QR codes that are named', (site) => site.list(MERCHANT, { qrCodeUid: ['a', 's'] }), [QR_CODE]],
  [
    'QR codes that are EXPIRED',
    (site) => site.list(MERCHANT, { ...PAGE, status: ['EXPIRED'] }),
    [
      'qr_codes USING INDEX qr_codes_by_status (status=? AND rowid>? AND rowid<?)',
      'qr_codes USING INDEX qr_codes_payable (end_at<?)',
    ],
  ],
  [
    'events of a QR code',
    (site) => site.events(MERCHANT, KEY, PAGE),
    [
      ...[QR_CODE, QR_CODE, 'events USING INDEX events_by_qr_code (qr_code=? AND rowid>?)'],
      `events USING ${ROWID} (rowid=?)`,
    ],
  ],
  [
    'events of a QR code, newest first',
    (site) => site.events(MERCHANT, KEY, { ...PAGE, order: 'desc' }),
    [
      ...[QR_CODE, QR_CODE, 'events USING INDEX events_by_qr_code (qr_code=? AND rowid<?)'],
      `events USING ${ROWID} (rowid=?)`,
    ],
  ],
  ['the feed', (site) => site.feed(MERCHANT, PAGE), [NEXT_END, `events USING ${ROWID} (rowid>?)`]],
  [
    'payments of a QR code',
    (site) => site.payments(MERCHANT, KEY, PAGE),
    [QR_CODE, 'payments USING INDEX payments_by_qr_code (<expr>=? AND rowid>?)'],
  ],
  [
    'the latest events',
    (site) => site.feed(MERCHANT, { ...PAGE, before: 'end' }),
    [NEXT_END, `events USING ${ROWID} (rowid<?)`],
  ],
  [
    'payments',
    (site) => site.listPayments(MERCHANT, PAGE),
    Array(3).fill('payments USING INDEX payments_by_time (status=? AND created_at>? AND created_at<?)'),
  ],
  [
    'payments that no QR code took',
    (site) => site.listPayments(MERCHANT, { ...PAGE, status: ['COMPLETED'], applied: false }),
    ['payments USING INDEX payments_not_applied (status=? AND created_at>? AND created_at<?)'],
  ],
  [
    'payments that need a decision',
    (site) => site.listPayments(MERCHANT, { ...PAGE, status: ['COMPLETED'], decision: 'OPEN' }),
    ['payments USING INDEX payments_not_applied (status=? AND created_at>? AND created_at<?)'],
  ],
  [
    'payments of a QR code, the latest first',
    (site) => site.listPayments(MERCHANT, { ...PAGE, qrCodeUid: 'a' }),
    [QR_CODE_NUMBER, 'payments USING INDEX payments_by_qr_code (<expr>=? AND rowid<?)'],
  ],
  [
    'payments by a refund',
    (site) => site.listPayments(MERCHANT, { ...PAGE, refundId: 'r' }),
    ['refunds USING COVERING INDEX refunds_by_uid (refund_uid=?)'],
  ],
  [
    'the figures of a day',
    (site) => site.dayReport(MERCHANT, { times: [0, 1, 4_000_000_000], before: [0, 1], currency: 'RUB' }),
    // Of the period, and of the one before.
    Array(2)
      .fill([
        'turnover USING PRIMARY KEY (at>? AND at<?)',
        ...Array(6).fill('deleted_qr_codes USING INTEGER PRIMARY KEY (rowid=?)'),
      ])
      .flat(),
  ],
  ['a payment', (site) => site.payment(MERCHANT, 'p'), [PAYMENT]],
  [
    'refunds',
    (site) => site.refunds(MERCHANT, 'p'),
    [PAYMENT, 'refunds USING INDEX sqlite_autoindex_refunds_1 (payment=?)'],
  ],
  [
    'a refund',
    (site) => site.refundOf(MERCHANT, { paymentUid: 'p' }, 'r'),
    [PAYMENT, 'refunds USING INDEX sqlite_autoindex_refunds_1 (payment=? AND refund_uid=?)'],
  ],
  [
    'tokens of an account',
    (site) => site.tokens(MERCHANT, 'customer', PAGE),
    ['tokens USING INDEX tokens_by_account (account=? AND rowid<?)'],
  ],
  [
    'notifications',
    (site) => site.notifications(MERCHANT, PAGE),
    ['outbox USING PRIMARY KEY ((event,kind)<(?,?))'],
  ],
  [
    'the documents of a payment',
    (site) => site.receiptsOfPayment(MERCHANT, 'f'),
    [
      ...[PAYMENT, 'receipts USING INDEX receipts_by_payment (payment=?)'],
      // What refunds and closings have taken of the prepayment.
      'refunds USING INDEX sqlite_autoindex_refunds_1 (payment=?)',
      'receipts USING INDEX receipts_by_payment (payment=?)',
    ],
  ],
  [
    'documents',
    (site) => site.listReceipts(MERCHANT, PAGE).then(() => undefined),
    Array(4).fill('receipts USING INDEX receipts_by_state (state=? AND created_at>? AND created_at<?)'),
  ],
  [
    'documents that failed and were not retried, oldest first',
    (site) =>
      site
        .listReceipts(MERCHANT, { ...PAGE, state: ['FAILED'], latest: true, order: 'asc' })
        .then(() => undefined),
    ['receipts USING INDEX receipts_by_state (state=? AND created_at>? AND created_at<?)'],
  ],
  [
    'documents of refunds that are registered',
    (site) =>
      site.listReceipts(MERCHANT, { ...PAGE, state: ['REGISTERED'], kind: ['refund'] }).then(() => undefined),
    ['receipts USING INDEX receipts_of_others (state=? AND created_at>? AND created_at<?)'],
  ],
  [
    'documents that a connector is to register',
    (site) => site.networkReceipts(NETWORK, { ...PAGE, state: 'WAITING' }),
    [
      'receipts USING INDEX receipts_by_state (state=? AND created_at>?)',
      ...Array(2).fill(`payments USING ${ROWID} (rowid=?)`),
      `refunds USING ${ROWID} (rowid=?)`,
    ],
  ],
  [
    'notifications of a QR code',
    (site) => site.notifications(MERCHANT, { ...PAGE, qrCodeUid: 'a' }),
    [QR_CODE_NUMBER, 'events USING COVERING INDEX events_by_qr_code (qr_code=?)'],
  ],
  [
    'notifications by status',
    (site) => site.notifications(MERCHANT, { ...PAGE, status: 'PENDING' }),
    ['outbox USING INDEX outbox_by_status (status=? AND (event,kind)<(?,?))'],
  ],
  [
    'causes of what is not delivered',
    (site) => site.notificationGroups(MERCHANT),
    Array(2).fill('outbox USING INDEX outbox_by_status (status=?)'),
  ],
])('%s: found by an index', (_, read, expected) =>
  inSite(async (site, storage) => {
    const found = await plansOf(storage, () => read(site))
    const steps = found.map((plan) => plan.map((step) => step.replace(/^(SEARCH|SCAN) /, '')))
    expect(steps).toEqual(expected.map((step) => expect.arrayContaining([step])))
    expect(found.flat().filter((step) => step.startsWith('SCAN') && !FEW.includes(step))).toEqual([])
  }),
)
