// <fps-qr order="CODE" lang="ru" api="/shop-api">: the QR code of an order, and whether it is paid.
// Events: paid, ended, again (the customer asks for another code). No state but what the shop says, so a return proves nothing.
const TEXTS = {
  ru: {
    scan: 'Наведите камеру телефона на код или откройте приложение банка',
    pay: 'Оплатить через СБП',
    waiting: 'Ждём оплату',
    paid: 'Заказ оплачен',
    ended: 'Срок кода истёк. Платить по нему нельзя',
    again: 'Получить новый код',
    unknown: 'Заказ не найден',
    offline: 'Нет связи с магазином. Проверяем снова',
    picture: 'QR-код для оплаты',
  },
  en: {
    scan: 'Scan the code with the camera of your phone, or open the app of your bank',
    pay: 'Pay by SBP',
    waiting: 'Waiting for the payment',
    paid: 'The order is paid',
    ended: 'The code has ended. It cannot be paid',
    again: 'Get another code',
    unknown: 'No such order',
    offline: 'No connection with the shop. Trying again',
    picture: 'QR code to pay',
  },
}
const PAUSE_MS = 2_000
const QUERY = 'query($code: String!) { fpsQrPayment(orderCode: $code) { state pageUrl link picture } }'
const STYLE = `
  :host { display: block; text-align: center; font: 16px/1.5 system-ui, sans-serif; }
  img { width: min(18rem, 80vw); height: auto; background: #fff; }
  a, button { display: inline-block; margin: .5rem; padding: .7rem 1.4rem; border: 0; border-radius: .5rem; background: #1d3fbb; color: #fff; font: inherit; text-decoration: none; }
  @media (max-width: 40rem) { img { width: 10rem; } a { display: block; } }`

class FpsQr extends HTMLElement {
  #timer
  #shown

  connectedCallback() {
    this.attachShadow({ mode: 'open' })
    this.refresh()
  }

  disconnectedCallback() {
    clearTimeout(this.#timer)
  }

  get #texts() {
    return TEXTS[this.lang === 'en' ? 'en' : 'ru']
  }

  /** Asks the shop now, and again until the payment is paid or ended. */
  async refresh() {
    clearTimeout(this.#timer)
    try {
      const response = await fetch(this.getAttribute('api') ?? '/shop-api', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: QUERY, variables: { code: this.getAttribute('order') } }),
      })
      const { data, errors } = await response.json()
      if (errors) throw new Error(errors[0].message)
      this.#show(data.fpsQrPayment)
      if (data.fpsQrPayment?.state !== 'open') return
    } catch {
      this.#say(this.#texts.offline)
    }
    if (this.isConnected) this.#timer = setTimeout(() => this.refresh(), PAUSE_MS)
  }

  #show(payment) {
    const key = JSON.stringify(payment)
    if (this.#shown === key) return
    this.#shown = key
    const texts = this.#texts
    const style = document.createElement('style')
    style.textContent = STYLE
    const status = document.createElement('p')
    status.setAttribute('role', 'status')
    this.shadowRoot.replaceChildren(style, status)
    if (!payment) return this.#say(texts.unknown)
    if (payment.state === 'open') this.#instructions(payment)
    if (payment.state === 'ended') {
      const again = document.createElement('button')
      again.textContent = texts.again
      again.addEventListener('click', () => this.dispatchEvent(new Event('again')))
      this.shadowRoot.append(again)
    }
    this.#say({ open: texts.waiting, paid: texts.paid, ended: texts.ended }[payment.state])
    if (payment.state !== 'open') this.dispatchEvent(new Event(payment.state))
  }

  #instructions({ pageUrl, picture }) {
    const { scan, pay, picture: alt } = this.#texts
    const text = document.createElement('p')
    text.textContent = scan
    const image = document.createElement('img')
    image.alt = alt
    image.src = `data:image/svg+xml;base64,${picture}`
    const link = document.createElement('a')
    link.href = pageUrl
    link.textContent = pay
    this.shadowRoot.prepend(text, image, link)
  }

  #say(text) {
    const status = this.shadowRoot.querySelector('[role=status]')
    if (status) status.textContent = text
    this.#shown = text === this.#texts.offline ? undefined : this.#shown
  }
}

customElements.define('fps-qr', FpsQr)
