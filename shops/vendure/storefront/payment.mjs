// <fps-qr order="CODE" lang="ru" api="/shop-api">: the QR code of an order, and whether it is paid.
import { PaymentElement } from './payment-element.js'

const QUERY =
  'query($code: String!) { fpsQrPayment(orderCode: $code) { state amount pageUrl picture expiresOn } }'

class FpsQr extends PaymentElement {
  static observedAttributes = ['order']

  async read() {
    const response = await fetch(this.getAttribute('api') ?? new URL('/shop-api', import.meta.url), {
      method: 'POST',
      credentials: 'include',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: QUERY, variables: { code: this.getAttribute('order') } }),
    })
    const { data, errors } = await response.json()
    if (errors) throw new Error(errors[0].message)
    const shown = data.fpsQrPayment
    if (shown === null) return undefined
    const { amount, picture } = shown
    return {
      ...shown,
      amount: { value: (amount / 100).toFixed(2), currency: 'RUB' },
      picture: picture && `data:image/svg+xml;base64,${picture}`,
    }
  }
}

customElements.define('fps-qr', FpsQr)
