// The console: parts of a page follow the feed, relative times move on, texts are copied, a new QR code is previewed.

/** The longest pause after a long poll that failed. */
const MAX_PAUSE_MS = 30_000

/** Aborts when the page is left: the browser can keep the page, and has six connections for all that it keeps. */
let left = new AbortController()

follow()
setInterval(showTimes, 20_000)

/** Long-polls the feed; what happened on the site is shown by another copy of the page. */
async function follow() {
  const { feed, poll } = document.querySelector('main')?.dataset ?? {}
  let cursor = feed
  for (let pause = 1000; cursor !== undefined; ) {
    const address = `${poll}?after=${encodeURIComponent(cursor)}`
    const leaving = left.signal
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(60_000)])
    const answer = await fetch(address, { cache: 'no-store', signal }).catch(() => undefined)
    // Nobody is signed in any more, or the site was restored: the page says so.
    if (answer && (answer.redirected || [401, 403, 410].includes(answer.status))) return location.reload()
    const next = answer?.ok ? (await answer.json().catch(() => ({}))).next : undefined
    if (next !== undefined && next !== cursor && (await update())) cursor = next
    pause = next === undefined && !leaving.aborted ? Math.min(pause * 2, MAX_PAUSE_MS) : 500
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (document.visibilityState === 'hidden')
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
  }
}

/** Shows what changed, except where somebody is typing. */
async function update() {
  const answer = await fetch(location.href, { cache: 'no-store' }).catch(() => undefined)
  if (!answer?.ok || answer.redirected) return false
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const found = page.querySelectorAll('[data-live]')
  for (const [index, old] of document.querySelectorAll('[data-live]').entries()) {
    const fresh = found[index]
    const focused = old.contains(document.activeElement) ? document.activeElement : undefined
    const isTyped = [...old.querySelectorAll('input')].some(
      ({ value, defaultValue }) => value !== defaultValue,
    )
    if (!fresh || isTyped || fresh.innerHTML === old.innerHTML || focused?.matches('input, select, textarea'))
      continue
    const href = focused?.getAttribute('href')
    for (const open of old.querySelectorAll('details[open]')) {
      const same = fresh.querySelectorAll('details')[[...old.querySelectorAll('details')].indexOf(open)]
      if (same) same.open = true
    }
    // The element stays: a change within a role=status is read aloud.
    old.replaceChildren(...fresh.childNodes)
    if (href) old.querySelector(`[href="${CSS.escape(href)}"]`)?.focus()
  }
  return true
}

/** The server's clock decides: only the time since the page was made is this machine's. */
function showTimes() {
  const { now } = document.querySelector('main')?.dataset ?? {}
  if (!now) return
  const passed = Number(now) + performance.now() / 1000
  for (const time of document.querySelectorAll('time[data-at]')) {
    const shown = time.querySelector('small')
    if (shown) shown.textContent = relative(Number(time.dataset.at) - passed)
  }
}

function relative(seconds) {
  // A day is 24 hours here, which `yesterday` and `tomorrow` are not.
  const words = (numeric) =>
    new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric, style: 'short' })
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ])
    if (Math.abs(seconds) >= length) return words('always').format(Math.trunc(seconds / length), unit)
  return words('auto').format(0, 'second')
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]')
  if (button) {
    await navigator.clipboard.writeText(button.dataset.copy)
    const name = button.textContent
    button.textContent = button.dataset.copied
    setTimeout(() => {
      button.textContent = name
    }, 2000)
  }
  if (target.closest('[data-print]')) window.print()
})

// A filter that is chosen is applied; without script its button does it.
document.addEventListener('change', ({ target }) => {
  if (target.closest('.filters') && target.matches('select')) target.form.requestSubmit()
})

// Pressed twice, a form is sent once.
document.addEventListener('submit', ({ target, submitter }) => {
  if (target.method !== 'post' || !submitter) return
  setTimeout(() => {
    submitter.disabled = true
  })
})
addEventListener('pagehide', () => left.abort())
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) left = new AbortController()
  for (const button of document.querySelectorAll('button:disabled')) button.disabled = false
})

// The preview of a new QR code.
const made = document.querySelector('form[data-preview]')
if (made) {
  const show = () => {
    const type = made.elements.type.value
    for (const field of made.querySelectorAll('[data-of]'))
      field.hidden = !field.dataset.of.split(' ').includes(type)
    const sum = Number(made.elements.amount.value.replaceAll(/\s/g, '').replace(',', '.'))
    const { locale, currency, nothing, till } = made.dataset
    const money = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
    })
    const hasSum = sum > 0 && type !== 'COUNTER'
    const unset = type === 'COUNTER' ? till : nothing
    document.querySelector('[data-shown=amount]').textContent = hasSum ? money.format(sum) : unset
    document.querySelector('[data-shown=purpose]').textContent = made.elements.paymentPurpose.value
  }
  made.addEventListener('input', show)
  show()
}
