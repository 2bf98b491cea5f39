// The custom element of a shop's page that shows how an order can be paid, and whether it is. A shop's module says how to read that.

/** What the shop says of the payment of an order. */
export interface ShownPayment {
  state: 'open' | 'paid' | 'ended'
  /** In units: `349.90`. */
  amount?: { value: string; currency: string } | undefined
  /** The page of the QR code; this and what follows only while it can be paid. */
  pageUrl?: string | undefined
  /** The QR code as an address of an image. */
  picture?: string | undefined
  /** The end of the QR code, RFC 3339. */
  expiresOn?: string | undefined
}

const EN = {
  scan: 'Scan the code with the camera of your phone, or open the app of your bank',
  pay: 'Pay by SBP',
  until: 'The code works until',
  waiting: 'Waiting for the payment',
  paid: 'The order is paid',
  ended: 'The code has ended. It cannot be paid',
  again: 'Get another code',
  unknown: 'No such order',
  offline: 'No connection with the shop. Trying again',
  picture: 'QR code to pay',
}
const TEXTS: Record<'en' | 'ru', typeof EN> = {
  en: EN,
  ru: {
    scan: 'Наведите камеру телефона на код или откройте приложение банка',
    pay: 'Оплатить через СБП',
    until: 'Код действует до',
    waiting: 'Ждём оплату',
    paid: 'Заказ оплачен',
    ended: 'Срок кода истёк. Платить по нему нельзя',
    again: 'Получить новый код',
    unknown: 'Заказ не найден',
    offline: 'Нет связи с магазином. Проверяем снова',
    picture: 'QR-код для оплаты',
  },
}

const PAUSE_MS = 2_000
const STYLE = new CSSStyleSheet()
STYLE.replaceSync(`
  :host { display: block; text-align: center; font: 16px/1.5 system-ui, sans-serif; }
  strong { display: block; font-size: 1.4rem; }
  img { display: block; width: min(18rem, 80vw); height: auto; margin: 0 auto; background: #fff; }
  a, button { display: inline-block; margin: .5rem; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: var(--fps-qr-button, #1d3fbb); color: var(--fps-qr-button-text, #fff); font: inherit; text-decoration: none; }
  @media (max-width: 40rem) { img { width: 10rem; } a { display: block; } }`)

/**
 * Asks the shop every 2 seconds until the payment is paid or ended, and shows the answer in the language of `lang`, of the page
 * or of the browser. Its events: `state`, whose `detail` is the state; `again`, when the customer asks for another code.
 * It believes the shop alone: that the customer came back proves nothing.
 */
export abstract class PaymentElement extends HTMLElement {
  /** A screen reader reads what is new in it. */
  readonly #status = element('p', { role: 'status' })
  readonly #root: ShadowRoot
  #timer: ReturnType<typeof setTimeout> | undefined
  #asked = 0
  #shown: string | undefined

  constructor() {
    super()
    this.#root = this.attachShadow({ mode: 'open' })
    this.#root.adoptedStyleSheets = [STYLE]
    this.#root.append(this.#status)
  }

  /** Reads the payment that the attributes name. Undefined: there is none. @throws any error where the shop gives no answer */
  protected abstract read(): Promise<ShownPayment | undefined>

  connectedCallback(): void {
    this.refresh()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.refresh()
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer)
    this.#asked++
  }

  /** Asks now. An answer to an earlier question is not shown any more. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    const asked = ++this.#asked
    const answer = await this.read().then(
      (payment) => ({ payment }),
      () => undefined,
    )
    if (asked !== this.#asked) return
    if (answer) this.#show(answer.payment)
    else this.#show('offline')
    if (answer && answer.payment?.state !== 'open') return
    this.#timer = setTimeout(() => this.refresh(), PAUSE_MS)
  }

  get #language(): 'en' | 'ru' {
    const language = this.lang || document.documentElement.lang || navigator.language
    return language.startsWith('ru') ? 'ru' : 'en'
  }

  #show(payment: ShownPayment | 'offline' | undefined): void {
    const key = JSON.stringify([payment, this.#language])
    if (this.#shown === key) return
    this.#shown = key
    const texts = TEXTS[this.#language]
    if (payment === undefined || payment === 'offline') {
      this.#draw([], payment ? texts.offline : texts.unknown)
      return
    }
    const { state } = payment
    if (state === 'open') this.#draw(this.#instructions(payment), texts.waiting)
    if (state === 'paid') this.#draw(this.#amount(payment), texts.paid)
    if (state === 'ended') {
      const again = element('button', { type: 'button', textContent: texts.again })
      again.addEventListener('click', () => this.dispatchEvent(new Event('again')))
      this.#draw([], texts.ended, [again])
    }
    this.dispatchEvent(new CustomEvent('state', { detail: state, bubbles: true }))
  }

  #instructions(payment: ShownPayment): Node[] {
    const { pageUrl, picture, expiresOn } = payment
    const texts = TEXTS[this.#language]
    const until = (end: string) =>
      `${texts.until} ${new Date(end).toLocaleString(this.#language, { dateStyle: 'medium', timeStyle: 'short' })}`
    return [
      ...this.#amount(payment),
      element('p', { textContent: texts.scan }),
      ...(picture ? [element('img', { src: picture, alt: texts.picture })] : []),
      ...(pageUrl ? [element('a', { href: pageUrl, textContent: texts.pay })] : []),
      ...(expiresOn ? [element('p', { textContent: until(expiresOn) })] : []),
    ]
  }

  #amount({ amount }: ShownPayment): Node[] {
    if (!amount) return []
    const { value, currency } = amount
    const text = Number(value).toLocaleString(this.#language, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
    })
    return [element('strong', { textContent: text })]
  }

  #draw(before: Node[], status: string, after: Node[] = []): void {
    for (const part of [...this.#root.children]) if (part !== this.#status) part.remove()
    this.#status.textContent = status
    this.#root.prepend(...before)
    this.#root.append(...after)
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties)
}
