/// <reference lib="dom" />
// <fps-qr-payment session="payses_…" key="pk_…">: shows the QR code and its status on a page of the storefront.
// The event `state` of it tells the page: open, paid or ended.
;(() => {
  const script = document.currentScript
  const backend = script instanceof HTMLScriptElement ? new URL(script.src).origin : location.origin

  interface Status {
    state: 'open' | 'paid' | 'ended'
    amount: { value: string }
    pageUrl?: string
    expiresOn?: string
    picture?: string
  }

  const en = {
    scan: 'Scan the QR code with your phone, or',
    pay: 'pay in your bank’s app',
    until: 'The code works until',
    wait: 'Waiting for the payment…',
    paid: 'Paid',
    ended: 'The time to pay is over. This code does not work any more.',
    unknown: 'There is no such payment.',
    broken: 'No answer from the shop. The status is read again in a moment.',
  }
  const ru: typeof en = {
    scan: 'Отсканируйте QR-код телефоном или',
    pay: 'оплатите в приложении банка',
    until: 'Код действует до',
    wait: 'Ждём оплату…',
    paid: 'Оплачено',
    ended: 'Время на оплату вышло. Этот код больше не действует.',
    unknown: 'Такого платежа нет.',
    broken: 'Магазин не отвечает. Статус скоро прочитаем снова.',
  }

  const POLL_MS = 2_000

  class FpsQrPayment extends HTMLElement {
    static observedAttributes = ['session']
    #timer = 0
    #shown = ''

    connectedCallback() {
      this.#start()
    }

    attributeChangedCallback() {
      if (this.isConnected) this.#start()
    }

    disconnectedCallback() {
      clearTimeout(this.#timer)
    }

    #start() {
      clearTimeout(this.#timer)
      this.#shown = ''
      void this.#poll()
    }

    async #poll() {
      const session = this.getAttribute('session')
      if (!session) return this.replaceChildren()
      const language = this.getAttribute('lang') || document.documentElement.lang || navigator.language
      const texts = language.startsWith('ru') ? ru : en
      const isCurrent = () => this.isConnected && this.getAttribute('session') === session
      try {
        const response = await fetch(`${backend}/store/fps-qr/payments/${encodeURIComponent(session)}`, {
          headers: { 'x-publishable-api-key': this.getAttribute('key') ?? '' },
        })
        if (!isCurrent()) return
        if (response.status === 404) return this.#show('unknown', text('p', texts.unknown))
        if (!response.ok) throw new Error(`HTTP ${response.status}`)
        const status: Status = await response.json()
        this.#draw(status, texts)
        // An ended code can still be paid by a customer who scanned it before: the page learns of it on its next visit.
        if (status.state !== 'open') return
      } catch {
        if (!isCurrent()) return
        this.#show('broken', text('p', texts.broken))
      }
      this.#timer = window.setTimeout(() => this.#poll(), POLL_MS)
    }

    #draw({ state, amount, pageUrl = '', expiresOn, picture }: Status, texts: typeof en) {
      if (state !== 'open') {
        const line = state === 'paid' ? `${texts.paid}: ${amount.value} ₽` : texts.ended
        return this.#show(state, text('p', line))
      }
      const parts: Node[] = []
      if (picture) {
        const image = document.createElement('img')
        Object.assign(image, { src: picture, width: 240, height: 240, alt: 'QR' })
        parts.push(image)
      }
      const link = document.createElement('a')
      Object.assign(link, { href: pageUrl, textContent: texts.pay })
      const way = text('p', `${texts.scan} `)
      way.append(link)
      parts.push(text('p', `${amount.value} ₽`), way)
      if (expiresOn) parts.push(text('p', `${texts.until} ${new Date(expiresOn).toLocaleTimeString()}`))
      parts.push(text('p', texts.wait))
      this.#show(state, ...parts)
    }

    /** Draws only what is new: a screen reader would read it again otherwise. */
    #show(state: string, ...parts: Node[]) {
      if (this.#shown === state) return
      this.#shown = state
      this.dataset.state = state
      this.setAttribute('role', 'status')
      this.replaceChildren(...parts)
      this.dispatchEvent(new CustomEvent('state', { detail: state, bubbles: true }))
    }
  }

  function text(name: string, content: string): HTMLElement {
    const element = document.createElement(name)
    element.textContent = content
    return element
  }

  customElements.define('fps-qr-payment', FpsQrPayment)
})()
