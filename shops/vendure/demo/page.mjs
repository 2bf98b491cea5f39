// The storefront of the demonstration: choose, pay by SBP, see the order paid. Russian, or English with ?lang=en.
import '/fps-qr/payment.js'

const parameters = new URLSearchParams(location.search)
const lang = (parameters.get('lang') ?? navigator.language).startsWith('ru') ? 'ru' : 'en'
const TEXTS = {
  ru: { title: 'Чайная лавка', buy: 'Купить по СБП', order: 'Заказ' },
  en: { title: 'Tea shop', buy: 'Buy by SBP', order: 'Order' },
}[lang]
document.documentElement.lang = lang
document.title = TEXTS.title
const heading = document.querySelector('h1')
const main = document.querySelector('main')
heading.textContent = TEXTS.title

async function ask(query, variables = {}) {
  const response = await fetch(`/shop-api?languageCode=${lang}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new Error(errors[0].message)
  const [value] = Object.values(data)
  if (value?.errorCode) throw new Error(value.paymentErrorMessage ?? value.message)
  return value
}

const RESULT = '... on Order { code state } ... on ErrorResult { errorCode message }'

async function buy(variant) {
  await ask(`mutation($v: ID!) { addItemToOrder(productVariantId: $v, quantity: 1) { ${RESULT} } }`, {
    v: variant,
  })
  await ask(`mutation($c: CreateCustomerInput!) { setCustomerForOrder(input: $c) { ${RESULT} } }`, {
    c: { firstName: 'Anna', lastName: 'Ivanova', emailAddress: 'anna@shop.example' },
  })
  await ask(`mutation($a: CreateAddressInput!) { setOrderShippingAddress(input: $a) { ${RESULT} } }`, {
    a: { streetLine1: 'Тверская, 1', city: 'Москва', countryCode: 'RU' },
  })
  const [method] = await ask('{ eligibleShippingMethods { id } }')
  await ask(`mutation($m: [ID!]!) { setOrderShippingMethod(shippingMethodId: $m) { ${RESULT} } }`, {
    m: [method.id],
  })
  await ask(`mutation { transitionOrderToState(state: "ArrangingPayment") { ${RESULT} } }`)
  const { code } = await pay()
  show(code)
}

const pay = () =>
  ask(`mutation { addPaymentToOrder(input: { method: "sbp", metadata: {} }) {
    ${RESULT} ... on PaymentFailedError { paymentErrorMessage } } }`)

function show(code) {
  history.replaceState(null, '', `?${new URLSearchParams({ order: code, lang })}`)
  heading.textContent = `${TEXTS.order} ${code}`
  const component = document.createElement('fps-qr')
  component.setAttribute('order', code)
  component.setAttribute('lang', lang)
  // A code that has ended: the order gets another one.
  component.addEventListener('again', () => pay().then(() => component.refresh()))
  main.replaceChildren(component)
}

async function list() {
  const { items } = await ask('{ products { items { name variants { id priceWithTax } } } }')
  const rows = items.map(({ name, variants: [{ id, priceWithTax }] }) => {
    const row = document.createElement('li')
    const button = document.createElement('button')
    button.textContent = TEXTS.buy
    button.addEventListener('click', () => {
      button.disabled = true
      buy(id).catch((error) => {
        button.disabled = false
        main.append(error.message)
      })
    })
    const price = (priceWithTax / 100).toLocaleString(lang, { style: 'currency', currency: 'RUB' })
    row.append(`${name} — ${price}`, button)
    return row
  })
  const goods = document.createElement('ul')
  goods.append(...rows)
  main.replaceChildren(goods)
}

const order = parameters.get('order')
if (order) show(order)
else await list()
