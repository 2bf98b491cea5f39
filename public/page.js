// Follows a QR code on the payer's page and on the start page: its state, the time left, the way to the bank and back.

/** The page stops polling after this time; it starts again when the payer returns to the page or presses the button. */
const FOLLOWED_MS = 600_000
/** Texts by what is going on, from the page. */
let texts = {}
/** Ends what belongs to the content that is shown: long poll, timers, listeners. */
let shown = new AbortController()
/** The sessionStorage key that records that the payer opened a bank; only this tab knows that. */
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
  const banks = document.querySelector('.banks')
  if (followed) follow(followed, on, signal)
  if (timer) countDown(timer, signal)
  if (banks) listBanks(banks, on)
  const code = document.querySelector('.code')
  on(code, 'toggle', () => code.open && code.lastElementChild.scrollIntoView({ block: 'nearest' }))
  const leave =
    leaving && setTimeout(() => location.replace(leaving.href), Number(leaving.dataset.leaves) * 1000)
  on(signal, 'abort', () => clearTimeout(leave))
  on(document.querySelector('[data-print]'), 'click', () => {
    clearTimeout(leave)
    print()
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
    if (!signal.aborted) say('paused')
  }

  /** Looks at once, and goes on with long polls. */
  async function lookNow(text) {
    until = Date.now() + FOLLOWED_MS
    const answer = await ask(poll, state, 0, signal)
    if (signal.aborted || (answer?.ok && (await update(element)))) return
    say(answer ? text : 'offline')
    look.abort()
    run()
  }

  const awaited = () => (sessionStorage.getItem(OPENED) ? 'waiting' : 'following')
  const isBack = () => {
    if (document.visibilityState === 'hidden') return
    const back = document.querySelector('[data-back]')?.dataset.back
    if (back && sessionStorage.getItem(OPENED)) location.replace(back)
    else lookNow(awaited())
  }
  on(document, 'visibilitychange', isBack)
  on(window, 'pageshow', ({ persisted }) => persisted && isBack())
  on(window, 'online', isBack)
  on(document.querySelector('[data-check]'), 'click', (event) => {
    event.preventDefault()
    say('checking')
    lookNow('unchanged')
  })
  on(document, 'click', ({ target }) => {
    if (!target.closest('[data-bank]')) return
    sessionStorage.setItem(OPENED, 'true')
    say('waiting')
  })
  say(awaited())
  run()
}

/** The response: 200 if the state changed, 304 if not; undefined if the request failed. */
async function ask(poll, state, wait, signal) {
  const headers = { 'If-None-Match': state, ...(wait && { Prefer: `wait=${wait}` }) }
  const ends = AbortSignal.any([signal, AbortSignal.timeout((wait + 20) * 1000)])
  return fetch(poll, { headers, cache: 'no-store', signal: ends }).catch(() => undefined)
}

/** Shows the page as it is now. What could be paid or scanned disappears before the new page is here. */
async function update(element) {
  element.classList.add('changed')
  say('changed')
  const { signal } = shown
  const options = { headers: { Accept: 'text/html' }, cache: 'no-store', signal }
  const answer = await fetch(location.pathname + location.search, options).catch(() => undefined)
  // When the QR code is paid, its list of banks redirects to its page.
  if (answer?.redirected) location.replace(answer.url)
  if (!answer?.ok || answer.redirected) return false
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  sessionStorage.removeItem(OPENED)
  document.title = page.title
  document.body.replaceWith(page.body)
  document.querySelector('main.open h1, main.final h1')?.focus()
  start()
  return true
}

function say(what) {
  const line = document.querySelector('.actions .progress[role=status]')
  if (!line) return
  line.dataset.said = what
  if (line.textContent !== texts[what]) line.textContent = texts[what]
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

/** Searches the list, and shows the payer's last three banks first; they are kept on this device alone. */
function listBanks(main, on) {
  const all = Array.from(main.querySelectorAll('[data-banks] li'))
  const none = main.querySelector('[data-none]')
  const search = main.querySelector('[data-search]')
  const filter = () => {
    const wanted = plain(search.value)
    let found = 0
    for (const item of all) {
      item.hidden = !plain(item.textContent).includes(wanted)
      if (!item.hidden) found++
    }
    none.textContent = found ? '' : none.dataset.none
  }
  on(search, 'input', filter)
  // A payer can type before the script has come.
  if (search?.value) filter()
  const recent = JSON.parse(localStorage.getItem('banks') ?? '[]')
  const items = recent.flatMap((bank) =>
    all.filter((item) => item.firstElementChild.dataset.bank === bank).slice(0, 1),
  )
  const section = main.querySelector('[data-recent]')
  section?.querySelector('ul').replaceChildren(...items.map((item) => item.cloneNode(true)))
  if (items.length) section.hidden = false
  on(main, 'click', ({ target }) => {
    const { bank } = target.closest('[data-bank]')?.dataset ?? {}
    if (!bank) return
    const last = [bank, ...recent.filter((each) => each !== bank)].slice(0, 3)
    localStorage.setItem('banks', JSON.stringify(last))
  })
}

/** Ignores case, hyphens, quotes and spaces when it compares names of banks. */
const plain = (text) =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[-–«»"' ]/g, '')

const sleep = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
