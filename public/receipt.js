// The paid page: the way back to the shop; the receipt, printed, saved as a picture, shared; the link of the fiscal receipt.
// public/page.js loads it where there is one.

/** The key that records that this tab showed that it leads to the shop. */
const LED = `led ${location.pathname}`

/** Leads back to the shop, and says when; the payer can stop it. Who comes back from there stays: a tab is led once. */
export function leave(link, on, signal) {
  const line = document.querySelector('.leaving')
  line.hidden = sessionStorage.getItem(LED) !== null
  if (line.hidden) return
  sessionStorage.setItem(LED, 'yes')
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
  // A page that the browser keeps goes on where it stopped.
  on(window, 'pagehide', () => {
    stop()
    line.hidden = true
  })
  // Who does something with the receipt is not done with it.
  on(document.querySelector('[data-receipt]'), 'click', () => line.hidden || stay())
  on(document.querySelector('.fiscal'), 'focusin', () => line.hidden || stay())
}

/** Prints the receipt, saves it as a picture, or shares that picture. */
export function offer(receipt, on) {
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
  receipt.inert = false
  if (!navigator.canShare?.({ files: [new File([''], name, { type: 'image/png' })] })) return
  share.hidden = false
  // Who changes their mind has shared nothing.
  on(share, 'click', async () => navigator.share({ files: [await file()] }).catch(() => {}))
}

/** For how long the page waits for the link of the fiscal receipt. */
const MADE_MS = 600_000

/** Follows the fiscal receipt until it has its link. */
export function attend(fiscal, { signal, followedSale }) {
  const end = Date.now() + MADE_MS
  const look = async (pause) => {
    const options = { headers: { Accept: 'text/html', ...followedSale() }, cache: 'no-store', signal }
    const answer = await fetch(location.href, options).catch(() => undefined)
    if (signal.aborted) return
    const isTyping = fiscal.contains(document.activeElement) || fiscal.querySelector('#contact')?.value
    if (answer?.ok && !isTyping) {
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const fresh = page.querySelector('.fiscal')
      if (!fresh) return fiscal.remove()
      fiscal.toggleAttribute('data-pending', fresh.hasAttribute('data-pending'))
      if (fresh.innerHTML !== fiscal.innerHTML) fiscal.replaceChildren(...fresh.childNodes)
    }
    next(Math.min(pause * 1.5, 30_000))
  }
  const next = (pause) => {
    if (!fiscal.hasAttribute('data-pending') || Date.now() > end || signal.aborted) return
    setTimeout(() => !signal.aborted && look(pause), pause)
  }
  next(1500)
}

/** The receipt as a PNG: what the page shows of it, black on white. */
async function draw(title) {
  const text = (selector, of = document) => of.querySelector(selector)?.textContent.trim()
  const rows = Array.from(document.querySelectorAll('main > section:not(.account) dl > div'), (row) => [
    text('dt', row),
    text('dd', row),
  ])
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
