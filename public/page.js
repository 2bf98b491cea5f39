// Follows a QR code on the payer's page and on the start page: its state, the time left, the way to the bank and back, the receipt.

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
  const receipt = document.querySelector('[data-receipt]')
  if (followed) follow(followed, on, signal)
  if (timer) countDown(timer, signal)
  if (leaving) leave(leaving, on, signal)
  if (receipt) offer(receipt, on)
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

  const isBack = () => {
    if (document.visibilityState === 'hidden') return
    const back = document.querySelector('[data-back]')?.dataset.back
    const opened = sessionStorage.getItem(OPENED)
    if (back && opened) location.replace(back)
    else lookNow(opened ? 'unchanged' : 'following')
  }
  on(document, 'visibilitychange', isBack)
  on(window, 'pageshow', ({ persisted }) => persisted && isBack())
  on(window, 'online', isBack)
  for (const check of document.querySelectorAll('[data-check]'))
    on(check, 'click', (event) => {
      event.preventDefault()
      say('checking')
      lookNow('unchanged')
    })
  on(document, 'click', ({ target }) => {
    const bank = target.closest('[data-bank]')
    if (!bank) return
    sessionStorage.setItem(OPENED, bank.href)
    // The link is followed first.
    setTimeout(() => showWaiting(true))
  })
  // The answer to a form is the next page: it shows what came of it once.
  on(window, 'submit', (event) => event.defaultPrevented || shown.abort())
  showWaiting(false)
  say('following')
  run()
}

/** Shows that the page waits for the bank that the payer opened. */
function showWaiting(isNew) {
  const opened = sessionStorage.getItem(OPENED)
  const main = document.querySelector('main.open')
  const again = main?.querySelector('[data-again]')
  if (!opened || !again) return
  again.href = opened
  main.dataset.waiting = ''
  if (isNew) main.querySelector('.waiting h2').focus({ preventScroll: true })
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

/** Leads back to the shop, and says when; the payer can stop it. */
function leave(link, on, signal) {
  const line = document.querySelector('.leaving')
  const end = Date.now() + Number(link.dataset.leaves) * 1000
  const each = setInterval(() => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    line.querySelector('span span').textContent = left
    if (left > 0) return
    stop()
    location.replace(link.href)
  }, 250)
  const stop = () => clearInterval(each)
  on(signal, 'abort', stop)
  const stay = (event) => {
    event?.preventDefault()
    stop()
    line.hidden = true
    // A reload, and the page from the history, stay too.
    history.replaceState(null, '', line.querySelector('[data-stay]').href)
  }
  on(line.querySelector('[data-stay]'), 'click', stay)
  // Who does something with the receipt is not done with it.
  on(document.querySelector('[data-receipt]'), 'click', () => line.hidden || stay())
}

/** Prints the receipt, saves it as a picture, or shares that picture. */
function offer(receipt, on) {
  const [share, save, print] = ['share', 'save', 'print'].map((each) =>
    receipt.querySelector(`[data-${each}]`),
  )
  const name = `${receipt.dataset.receipt}.png`
  const file = async () => new File([await draw(receipt.dataset.receipt)], name, { type: 'image/png' })
  on(print, 'click', () => window.print())
  on(save, 'click', async () => {
    const href = URL.createObjectURL(await file())
    Object.assign(document.createElement('a'), { href, download: name }).click()
    setTimeout(() => URL.revokeObjectURL(href), 60_000)
  })
  if (!navigator.canShare?.({ files: [new File([''], name, { type: 'image/png' })] })) return
  share.hidden = false
  // Who changes their mind has shared nothing.
  on(share, 'click', async () => navigator.share({ files: [await file()] }).catch(() => {}))
}

/** The receipt as a PNG: what the page shows of it, black on white. */
async function draw(title) {
  const text = (selector, of = document) => of.querySelector(selector)?.textContent.trim()
  const rows = Array.from(document.querySelectorAll('dl > div'), (row) => [text('dt', row), text('dd', row)])
  const lines = [
    [text('.sandbox'), '600 28px', 40],
    [text('.shop bdi'), '600 36px', 64],
    [`${title}: ${text('h1')}`, '400 28px', 96],
    [text('.sum'), '700 64px', 72],
    ...rows.flatMap(([term, value]) => [
      [term, '400 24px', 56, '#59616e'],
      [value, '400 30px', 40],
    ]),
    [text('.foot'), '400 24px', 88, '#59616e'],
  ].filter(([line]) => line)
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  const [width, side] = [840, 56]
  const { fontFamily } = getComputedStyle(document.body)
  const drawn = lines.flatMap(([line, font, height, color = '#000']) => {
    context.font = `${font} ${fontFamily}`
    return wrap(line, (part) => context.measureText(part).width <= width - 2 * side).map((part, i) => ({
      ...{ part, color },
      font: context.font,
      height: i ? 40 : height,
    }))
  })
  canvas.width = width
  canvas.height = drawn.reduce((sum, { height }) => sum + height, 2 * side)
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  let y = side
  for (const { part, font, height, color } of drawn) {
    y += height
    Object.assign(context, { font, fillStyle: color })
    context.fillText(part, side, y)
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}

/** The lines of a text: between words, or within one that is longer than a line. */
function wrap(text, fits) {
  const lines = ['']
  for (const part of text.match(/\s+|\S+/g) ?? []) {
    if (fits(lines.at(-1) + part)) lines.push(lines.pop() + part)
    else if (fits(part)) lines.push(part.trimStart())
    else for (const each of part) lines.push(...(fits(lines.at(-1) + each) ? [lines.pop() + each] : [each]))
  }
  return lines
}

const sleep = (ms, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
