// <fps-qr order="CODE" lang="ru" api="https://shop.example/shop-api" token="…">: the QR code of an order, and whether it is paid.
import { PaymentElement } from './payment-element.js'

const QUERY =
  'query($code: String!) { fpsQrPayment(orderCode: $code) { state amount pageUrl picture expiresOn } }'

class FpsQr extends PaymentElement {
  static observedAttributes = ['order', 'api', 'token']

  get payment() {
    return this.getAttribute('order')
  }

  async read(code, signal) {
    const token = this.getAttribute('token')
    const response = await fetch(this.getAttribute('api') ?? new URL('../shop-api', import.meta.url), {
      method: 'POST',
      // The session: a cookie, which a browser sends to the same site alone, or the token.
      credentials: token ? 'omit' : 'include',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query: QUERY, variables: { code } }),
      signal,
    })
    const { data, errors } = await response.json()
    if (errors) throw new Error(errors[0].message)
    const shown = data.fpsQrPayment
    if (!shown) return undefined
    const { amount, picture } = shown
    return {
      ...shown,
      amount: { value: (amount / 100).toFixed(2), currency: 'RUB' },
      picture: picture && `data:image/svg+xml;base64,${picture}`,
    }
  }
}

customElements.define('fps-qr', FpsQr)
