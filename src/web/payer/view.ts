// What the payer's page is made from: the QR code as its payer sees it, the shop, the device and the language.
import type { Context } from 'hono'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import type { bankList } from '../../gateway/banks.ts'
import { isSandbox } from '../../gateway/connection.ts'
import type { Service } from '../../gateway/context.ts'
import { saleMark } from '../../gateway/followed-sale.ts'
import { pageUrl } from '../../gateway/links.ts'
import { logoPath } from '../../gateway/logo-path.ts'
import type { Receipt } from '../../gateway/receipt.ts'
import { receiptUrl } from '../../gateway/sandbox-receipt.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { language } from '../../http/negotiation.ts'
import { originOf } from '../../http/path.ts'
import type { QrCodeWithShop, Shop as SiteShop } from '../../site/payments/payer.ts'
import { noSimulation } from '../no-simulation.ts'
import type { PageAddress } from './address.ts'
import { deviceOf } from './device.ts'
import { DECLINED, ownResult } from './own-result.ts'
import type { PayerView, Shop } from './parts.ts'
import { stateTag } from './site.ts'
import { themeOf } from './theme.ts'

/** A code as its payer sees it: with the amount and the purpose of the payer's own payment, else those of its ACTIVE sale, and its end. */
const forPayer = (qrCode: QrCode, paid: Receipt | undefined): QrCode =>
  paid
    ? { ...qrCode, amount: paid.amount, paymentPurpose: paid.paymentPurpose, sale: undefined }
    : { ...qrCode, ...qrCode.sale }

/** What a page shows besides: the payer's own payment, and what the payer typed that is wrong. */
type Typed = Pick<PayerView, 'paid' | 'invalidAmount' | 'hasInvalidContact'>

/** How long a page waits for the list that has the name of the payer's bank. */
const BANKS_MS = 300

/** How the pages below /pay see the sites of the deployment. */
export function payerViews(service: Service, banks: ReturnType<typeof bankList>) {
  const { config } = service

  /** The shop as its payers see it. */
  const shopSeen = (
    siteId = '',
    { name = siteId, supportContact, color, logo, legalName, taxId, digitalRouble }: SiteShop,
  ): Shop => ({
    name,
    supportContact,
    legalName,
    taxId,
    ways: digitalRouble ? 'digitalRouble' : 'sbp',
    theme: color && themeOf(color),
    logo: logo && logoPath(config.secrets, siteId, logo),
  })

  /** The name of a bank of the list, if that comes in time. @param memberId its id in the network */
  async function bankName(memberId: string): Promise<string | undefined> {
    const list = await service.within(BANKS_MS, banks.list())
    return list?.find(({ scheme }) => scheme === `bank${memberId}`)?.name
  }

  const viewOf = async (
    c: Context<AppEnv>,
    address: PageAddress,
    { qrCode: read, shop, bank, isRefused, saved, isDeleted, receipt }: QrCodeWithShop,
    { paid, invalidAmount, hasInvalidContact = false }: Partial<Typed> = {},
  ): Promise<PayerView> => {
    const qrCode = forPayer(read, paid)
    const { siteId = '' } = c.var
    const id = c.req.param('id') ?? ''
    const inSandbox = isSandbox(config, siteId)
    const ownPage = pageUrl(config, siteId, originOf(c), qrCode)
    const shownLanguage = address.language ?? language(c.req.header('Accept-Language'))
    return {
      qrCode,
      bank: bank && (await bankName(bank)),
      isRefused: isRefused && qrCode.status === 'DECLINED',
      saved,
      bankOfAccount: typeof saved === 'object' && saved.bank ? await bankName(saved.bank) : undefined,
      isDeleted,
      id,
      shop: shopSeen(siteId, shop),
      language: shownLanguage,
      device: deviceOf(c),
      address,
      now: Math.floor(service.now() / 1000),
      utcOffset: config.utcOffset,
      tokenDays: config.tokenDays,
      etag: stateTag(qrCode, paid),
      saleMark: saleMark(config.secrets, siteId, id, paid?.saleUid ?? qrCode.sale?.saleUid),
      paid,
      sandbox: inSandbox ? { currency: config.homeCurrency } : undefined,
      noSimulation: noSimulation(service, siteId, shownLanguage),
      pageUrl: ownPage,
      isOwnLink: ownPage === qrCode.payload,
      hasBanks: !inSandbox && banks.isOffered(),
      isDeclined: isReusable(qrCode) && ownResult(c) === DECLINED,
      invalidAmount,
      receipt: paid ? paid.receipt : receipt,
      receiptUrl: receiptUrl(config, siteId, (paid ? paid.receipt : receipt)?.registered, originOf(c)),
      hasInvalidContact,
    }
  }

  return { shopSeen, viewOf }
}
