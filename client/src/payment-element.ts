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

const STATES: readonly ShownPayment['state'][] = ['open', 'paid', 'ended']

const EN = {
  scan: 'Scan the code with the camera of your phone, or open the app of your bank',
  pay: 'Pay by SBP',
  until: 'The code works until',
  waiting: 'Waiting for the payment',
  paid: 'Payment received',
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
    paid: 'Оплата получена',
    ended: 'Срок кода истёк. Платить по нему нельзя',
    again: 'Получить новый код',
    unknown: 'Заказ не найден',
    offline: 'Нет связи с магазином. Проверяем снова',
    picture: 'QR-код для оплаты',
  },
}

const PAUSE_MS = 2_000
/** A phone that comes back from the bank's app can have a connection that has stalled. */
const PATIENCE_MS = 10_000
const STYLE = `
  :host { display: block; text-align: center; font: 16px/1.5 system-ui, sans-serif; }
  strong { display: block; font-size: 1.4rem; }
  img { display: block; width: min(18rem, 80vw); height: auto; margin: 0 auto; background: #fff; }
  a, button { display: inline-block; margin: .5rem; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: var(--fps-qr-button, #1d3fbb); color: var(--fps-qr-button-text, #fff); font: inherit; text-decoration: none; }
  @media (max-width: 40rem) { img { width: 10rem; } a { display: block; } }`

/**
 * Asks the shop every 2 seconds until the payment is paid or ended, and shows the answer in the language of `lang`, of the page
 * or of the browser. Its events, which bubble: `state`, whose `detail` is a new state; `again`, when the customer asks for another
 * code. It believes the shop alone: the return of the customer proves nothing. For browsers only: a server cannot import it.
 */
export abstract class PaymentElement extends HTMLElement {
  /** A screen reader reads what is new in it. */
  readonly #status = element('p', { role: 'status' })
  readonly #root: ShadowRoot
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAsking = false
  #asked = 0
  /** The payment that is shown, its answer and its state. */
  #name: string | undefined
  #shown: string | undefined
  #state: ShownPayment['state'] | undefined

  constructor() {
    super()
    this.#root = this.attachShadow({ mode: 'open' })
    dress(this.#root)
    this.#root.append(this.#status)
  }

  /** Which payment the attributes name; empty or null: none, and the element is empty. */
  protected abstract get payment(): string | null

  /**
   * Reads a payment. Undefined or null: there is none. An error, an unknown state, and no answer until the signal: the shop is asked again.
   */
  protected abstract read(payment: string, signal: AbortSignal): Promise<ShownPayment | undefined | null>

  connectedCallback(): void {
    this.#ask()
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.#ask()
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer)
    this.#asked++
  }

  /** Asks now. An answer to an earlier question is not shown any more. */
  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    const asked = ++this.#asked
    const name = this.payment ?? ''
    if (name !== this.#name) {
      this.#name = name
      this.#state = undefined
      this.#draw([], '')
    }
    if (name === '') return
    const answer = await this.#answerOf(name)
    if (asked !== this.#asked) return
    if (answer) this.#show(answer.payment)
    else this.#say(TEXTS[this.#language].offline)
    if (answer && answer.payment?.state !== 'open') return
    this.#timer = setTimeout(() => this.refresh(), PAUSE_MS)
  }

  /** Once for all attributes that change together. */
  #ask(): void {
    if (this.#isAsking) return
    this.#isAsking = true
    queueMicrotask(() => {
      this.#isAsking = false
      if (this.isConnected) void this.refresh()
    })
  }

  /** @returns undefined where the shop gave none */
  async #answerOf(name: string): Promise<{ payment: ShownPayment | undefined } | undefined> {
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(), PATIENCE_MS)
    try {
      const payment = (await this.read(name, end.signal)) ?? undefined
      return payment && !STATES.includes(payment.state) ? undefined : { payment }
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  get #language(): 'en' | 'ru' {
    const language = this.lang || document.documentElement.lang || navigator.language
    return language.startsWith('ru') ? 'ru' : 'en'
  }

  /** Draws only what is new: a screen reader reads it again otherwise. */
  #show(payment: ShownPayment | undefined): void {
    const shown = JSON.stringify([payment, this.#language])
    if (this.#shown === shown) return
    const texts = TEXTS[this.#language]
    if (!payment) this.#draw([], texts.unknown)
    else if (payment.state === 'open') this.#draw(this.#instructions(payment), texts.waiting)
    else if (payment.state === 'paid') this.#draw(this.#amount(payment), texts.paid)
    else this.#draw([], texts.ended, [this.#again(texts.again)])
    this.#shown = shown
    if (!payment || payment.state === this.#state) return
    this.#state = payment.state
    this.dispatchEvent(new CustomEvent('state', { detail: payment.state, bubbles: true }))
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
    const format = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
    return [element('strong', { textContent: Number(value).toLocaleString(this.#language, format) })]
  }

  #again(text: string): Node {
    const button = element('button', { type: 'button', textContent: text })
    button.addEventListener('click', () => {
      // Two codes of one order would be in each other's way.
      button.disabled = true
      this.dispatchEvent(new Event('again', { bubbles: true }))
    })
    return button
  }

  /** Changes the status alone: what can be scanned or opened stays. */
  #say(status: string): void {
    this.#shown = undefined
    this.#status.textContent = status
  }

  #draw(before: Node[], status: string, after: Node[] = []): void {
    for (const part of [...this.#root.children])
      if (part !== this.#status && part.localName !== 'style') part.remove()
    this.#say(status)
    this.#root.prepend(...before)
    this.#root.append(...after)
  }
}

/** A style sheet that needs no permission of the page's Content-Security-Policy; Safari has it since 16.4. */
function dress(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    root.adoptedStyleSheets = [sheet]
  } catch {
    root.append(element('style', { textContent: STYLE }))
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), properties)
}
