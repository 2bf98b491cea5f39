// A merchant site at Tochka: registers its QR codes under the merchant id and the account of the configuration.

import type { CheckResult } from '../../partner.ts'
import type { Link, NewCode, SiteBank } from '../bank.ts'
import { changes, reads } from './answers.ts'
import * as bodies from './bodies.ts'
import { bankCodeOf, type Settings } from './check.ts'
import type { TochkaCall } from './client.ts'

interface SiteSettings {
  merchantId: string
  accountId: string
}

export class TochkaSite implements SiteBank {
  readonly #site: SiteSettings
  readonly #call: TochkaCall
  readonly #settings: Settings

  constructor(site: SiteSettings, call: TochkaCall, settings: Settings) {
    this.#site = site
    this.#call = call
    this.#settings = settings
  }

  async register(code: NewCode, signal: AbortSignal): Promise<Link> {
    const { merchantId, accountId } = this.#site
    const redirectUrl = code.redirectUrl?.startsWith('https:') ? { redirectUrl: code.redirectUrl } : {}
    const { Data } = await this.#call(
      changes(bodies.Registered),
      code.type === 'COUNTER'
        ? {
            operation: 'register',
            method: 'POST',
            url: '/sbp/v1.0/cashbox-qr-code',
            body: { Data: { merchantId, accountId, ...redirectUrl } },
            signal,
          }
        : {
            operation: 'register',
            method: 'POST',
            url: `/sbp/v1.0/qr-code/merchant/${encodeURIComponent(merchantId)}/${encodeURIComponent(accountId)}`,
            body: {
              Data: {
                amount: code.amount,
                currency: 'RUB',
                paymentPurpose: code.purpose,
                qrcType: code.type === 'STATIC' ? '01' : '02',
                ...(code.type === 'DYNAMIC' ? { ttl: code.ttl } : {}),
                ...redirectUrl,
              },
            },
            signal,
          },
    )
    return { qrcId: Data.qrcId, payload: Data.payload, reference: `${merchantId}:${accountId}` }
  }

  async check(): Promise<CheckResult[]> {
    const { merchantId, accountId } = this.#site
    const { Data } = await this.#call(reads(bodies.Customer), {
      operation: 'customer',
      method: 'GET',
      url: `/sbp/v1.0/customer/${this.#settings.customerCode}/${bankCodeOf(accountId)}`,
    })
    const merchant = Data.MerchantList.find((each) => each.merchantId === merchantId)
    const account = Data.AccountList.find((each) => each.accountId === accountId)
    return [
      {
        isGood: merchant?.status === 'Active' && merchant.capabilities.charAt(1) === '1',
        text: merchant
          ? `merchant ${merchantId} is ${merchant.status}, capabilities ${merchant.capabilities}: ${codesOf(merchant.capabilities)}`
          : `merchant ${merchantId} is not one of this customer`,
      },
      {
        isGood: account?.status === 'Active',
        text: account
          ? `account …${accountId.slice(16)} is ${account.status}`
          : 'the account is not registered for SBP',
      },
    ]
  }
}

/** The digits of `capabilities` (the bank's guide; its schema calls the first one subscriptions). */
const CODES = ['cashbox', 'dynamic', 'static']

const codesOf = (capabilities: string): string =>
  CODES.map((codes, i) => `${capabilities.charAt(i) === '1' ? '' : 'no '}${codes}`).join(', ')
