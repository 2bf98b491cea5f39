// A site at Tochka Pay Gateway: registers its codes by its fields of the configuration.
import type { Link, NewCode, SiteBank } from '../bank.ts'
import type { PayCall } from './client.ts'
import { registerCode } from './codes.ts'
import type { Counter } from './counter.ts'
import type { SiteSettings } from './site-fields.ts'
import type { TestPayments } from './test-payments.ts'

/** What registers the codes of the credentials. */
interface Account {
  call: PayCall
  tests: TestPayments
  counter: Counter
}

export class PaySite implements SiteBank {
  readonly reservedQrcIds: readonly string[]
  readonly #site: SiteSettings
  readonly #account: Account

  constructor(site: SiteSettings, account: Account) {
    this.reservedQrcIds = site.cashRegisterQrcIds
    this.#site = site
    this.#account = account
  }

  register(code: NewCode, signal: AbortSignal): Promise<Link> {
    return code.type === 'COUNTER'
      ? this.#account.counter.register(code, this.#site, signal)
      : registerCode(this.#account, this.#site, code, signal)
  }
}
