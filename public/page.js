// Follows a QR code on the payer's page and on the start page: its state, the time left, the way to the bank and back.

/** The page stops polling after this time; it starts again when the payer returns to the page or presses the button. */
const FOLLOWED_MS = 600_000
/** After this time an answer that the payer waits for is late. */
const SLOW_MS = 4000
/** Texts by what is going on, from the page. */
let texts = {}
/** Ends what belongs to the content that is shown: long poll, timers, listeners. */
let shown = new AbortController()
/** The sessionStorage key of the bank that the payer opened, when, and for which sale of a counter; only this tab knows that. */
const OPENED = `opened ${location.pathname.replace(/\/banks$/, '')}`

start()

function start() {
  shown.abort()
  shown = new AbortController()
  const { signal } = shown
  const on = (target, type, listener) => target?.addEventListener(type, listener, { signal })
  const followed = document.querySelector('[data-state]')
  const timer = document.querySelector('[role=timer]')
  const leaving = document.querySelector('[data-leaves]')
  const receipt = document.querySelector('[data-receipt]')
  const kept = document.querySelector('[data-kept]')
  const fiscal = document.querySelector('.fiscal')
  const look = followed && follow(followed, on, signal)
  const isBack = () => {
    if (document.visibilityState === 'hidden') return
    const back = document.querySelector('[data-back]')?.dataset.back
    const hasOpened = showWaiting(false)
    if (back && hasOpened) location.replace(back)
    else look?.(hasOpened ? 'unchanged' : 'following')
  }
  on(document, 'visibilitychange', isBack)
  on(window, 'pageshow', ({ persisted }) => persisted && isBack())
  on(window, 'online', isBack)
  on(document, 'click', ({ target }) => {
    const bank = target.closest('[data-bank]')
    if (target.closest('[data-anew]')) sessionStorage.removeItem(OPENED)
    if (!bank) return
    open(bank.href)
    // The link is followed first.
    setTimeout(() => showWaiting(true))
  })
  showWaiting(false)
  if (kept) keep(kept, signal)
  if (timer) countDown(timer, signal)
  const contact = document.querySelector('main.open [data-contact]')
  if (contact) sendTyped(contact, on, signal)
  if (leaving || receipt || fiscal)
    import('./receipt.js').then(({ leave, offer, attend }) => {
      if (leaving) leave(leaving, on, signal)
      if (receipt) offer(receipt, on)
      if (fiscal) attend(fiscal, { signal, followedSale })
    })
  const code = document.querySelector('.code')
  on(code, 'toggle', () => code.open && code.lastElementChild.scrollIntoView({ block: 'nearest' }))
  on(document.querySelector('[data-code]'), 'click', () => {
    code.open = true
  })
}

/** Long-polls the state. Another state is another page: its content replaces this one. */
function follow(element, on, signal) {
  const { state, poll } = element.dataset
  texts = JSON.parse(element.dataset.texts)
  let until = Date.now() + FOLLOWED_MS
  let look = new AbortController()
  let isRunning = false

  async function run() {
    if (isRunning) return
    isRunning = true
    for (let pause = 1000; Date.now() < until && !signal.aborted; ) {
      const answer = await ask(poll, state, 50, AbortSignal.any([signal, look.signal]))
      if (signal.aborted) return
      if (look.signal.aborted) {
        look = new AbortController()
        continue
      }
      if (answer?.ok && (await update(element))) return
      if (!answer) say('offline')
      // Without the header the request did not wait: a limit is reached, or the request failed.
      pause = answer?.headers.has('Preference-Applied') ? 1000 : Math.min(pause * 2, 30_000)
      await sleep(pause, AbortSignal.any([signal, look.signal]))
    }
    isRunning = false
    if (until && !signal.aborted) say('paused')
  }

  /** Looks at once, and goes on with long polls. */
  async function lookNow(text) {
    until = Date.now() + FOLLOWED_MS
    const answer = await inTime(ask(poll, state, 0, signal))
    if (signal.aborted || (answer?.ok && (await update(element)))) return
    say(answer ? text : 'offline')
    look.abort()
    run()
  }

  on(window, 'offline', () => say('offline'))
  // The browser can keep the page, and has six connections for all that it keeps. At its return the page looks.
  on(window, 'pagehide', () => {
    until = 0
    look.abort()
  })
  for (const check of document.querySelectorAll('[data-check]'))
    on(check, 'click', (event) => {
      event.preventDefault()
      say('checking')
      lookNow('unchanged')
    })
  // The answer to a form is the next page: it shows what came of it once. At a counter the sandbox's button is the bank.
  on(window, 'submit', ({ defaultPrevented, submitter }) => {
    if (defaultPrevented) return
    if (element.dataset.sale && submitter?.value === 'pay') open()
    shown.abort()
  })
  const { sale } = opened()
  if (sale && sale !== element.dataset.sale) {
    // It can be paid by now: until that is known, nobody pays the next one by mistake.
    element.classList.add('changed')
    lookNow('following').then(() => element.classList.remove('changed'))
  } else {
    say('following')
    run()
  }
  return lookNow
}

/** Remembers that the payer opened a bank. */
function open(href) {
  const { sale } = document.querySelector('[data-sale]')?.dataset ?? {}
  sessionStorage.setItem(OPENED, JSON.stringify({ href, sale, at: Date.now() }))
}

/** What this tab remembers of it. Where the page does not learn of the result, that is over after a while. */
function opened() {
  const { at = 0, ...rest } = JSON.parse(sessionStorage.getItem(OPENED) ?? '{}')
  const isFollowed = document.querySelector('[data-state]') !== null
  return isFollowed || Date.now() - at < FOLLOWED_MS ? rest : {}
}

/** Shows whether the page waits for the bank that the payer opened. @returns whether it does */
function showWaiting(isNew) {
  const main = document.querySelector('main')
  const again = main.querySelector('[data-again]')
  const { href, sale } = opened()
  const waits = href !== undefined && sale === main.dataset.sale
  if (!again) return waits
  main.toggleAttribute('data-waiting', waits)
  if (waits) again.href = href
  if (isNew) (main.querySelector('.waiting h2') ?? main.querySelector('h1')).focus({ preventScroll: true })
  return waits
}

/** The paid sale of a counter is shown for a while: after it the phone can be in another hand. */
function keep({ dataset }, signal) {
  const end = Date.now() + dataset.kept * 1000
  const each = setInterval(() => {
    if (Date.now() < end) return
    sessionStorage.removeItem(OPENED)
    location.reload()
  }, 1000)
  signal.addEventListener('abort', () => clearInterval(each))
}

/** The response: 200 if the state changed, 304 if not; undefined if the request failed. */
async function ask(poll, state, wait, signal) {
  const headers = { ...followedSale(), 'If-None-Match': state, ...(wait && { Prefer: `wait=${wait}` }) }
  const ends = AbortSignal.any([signal, AbortSignal.timeout((wait + 20) * 1000)])
  return fetch(poll, { headers, cache: 'no-store', signal: ends }).catch(() => undefined)
}

/** The header by which the service knows the sale that this tab followed. */
function followedSale() {
  const { sale } = opened()
  return sale && { 'Followed-Sale': sale }
}

/** Shows the page as it is now. What could be paid or scanned disappears before the new page is here. */
async function update(element) {
  element.classList.add('changed')
  say('changed')
  const { signal } = shown
  const options = { headers: { Accept: 'text/html', ...followedSale() }, cache: 'no-store', signal }
  const answer = await inTime(fetch(location.pathname + location.search, options).catch(() => undefined))
  if (!answer) say('offline')
  // When the QR code is paid, its list of banks redirects to its page.
  if (answer?.redirected) location.replace(answer.url)
  if (!answer?.ok || answer.redirected) return false
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  // A sale can be paid after its end.
  if (!opened().sale) sessionStorage.removeItem(OPENED)
  document.title = page.title
  document.body.replaceWith(page.body)
  document.querySelector('main.open h1, main.final h1')?.focus()
  start()
  return true
}

/** An answer for which the payer waits: a slow one is said to be. */
async function inTime(answer) {
  const slow = setTimeout(() => say('slow'), SLOW_MS)
  return answer.finally(() => clearTimeout(slow))
}

/** A contact that was typed and not sent goes when the page is left for the bank, or shows that the code is paid. */
function sendTyped(form, on, signal) {
  const input = form.querySelector('#contact')
  let isSent = false
  const send = () => {
    if (isSent || input.value.trim() === '' || !input.checkValidity()) return
    isSent = true
    const fields = new URLSearchParams(new FormData(form))
    fields.set('action', 'contact')
    navigator.sendBeacon(location.pathname + location.search, fields)
  }
  on(input, 'input', () => {
    isSent = false
  })
  on(form, 'submit', () => {
    isSent = true
  })
  on(document, 'visibilitychange', () => document.visibilityState === 'hidden' && send())
  signal.addEventListener('abort', send)
}

function say(what) {
  for (const line of document.querySelectorAll('.progress[role=status]')) {
    line.dataset.said = what
    if (line.textContent !== texts[what]) line.textContent = texts[what]
  }
}

/** Counts down the last hour from the time left that the server sent, because the payer's own clock can be wrong. */
function countDown(timer, signal) {
  const end = Date.now() + Number(timer.dataset.seconds) * 1000
  const each = setInterval(() => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    if (left >= 3600) return
    const time = [left / 60, left % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
    timer.textContent = `${timer.dataset.left} ${time}`
  }, 1000)
  signal.addEventListener('abort', () => clearInterval(each))
}

const sleep = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
