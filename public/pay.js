// Follows a payment on the payer's page: the time left, the state by long polls, the way back to the shop.
const page = location.pathname + location.search
const { state } = document.querySelector('main').dataset
const timer = document.querySelector('[role=timer]')
const shop = document.querySelector('a[rel]')

if (timer) countDown(timer)
if (state) follow(state)
if (shop) setTimeout(() => location.replace(shop.href), 5000)

/** Long-polls the state. When it is another one, the page is loaded again, by GET even after a form. */
async function follow(etag) {
  for (let pause = 1000; ; ) {
    try {
      const answer = await fetch(`${location.pathname}/state${location.search}`, {
        headers: { 'If-None-Match': etag, Prefer: 'wait=50' },
        cache: 'no-store',
        signal: AbortSignal.timeout(70_000),
      })
      if (answer.ok) return location.replace(page)
      // Without the header the request did not wait: a limit is reached, or the request failed.
      pause = answer.headers.has('Preference-Applied') ? 1000 : Math.min(pause * 2, 30_000)
    } catch {
      pause = Math.min(pause * 2, 30_000)
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Counts down from the time left that the server sent, because the payer's own clock can be wrong. */
function countDown(timer) {
  const end = Date.now() + Number(timer.dataset.seconds) * 1000
  setInterval(() => {
    timer.textContent = duration(Math.max(0, Math.ceil((end - Date.now()) / 1000)))
  }, 1000)
}

/** Whole days, or hours, minutes and seconds, as the server writes them. */
function duration(seconds) {
  const days = Math.floor(seconds / 86_400)
  if (days > 0) {
    const format = { style: 'unit', unit: 'day', unitDisplay: 'long' }
    return new Intl.NumberFormat(document.documentElement.lang, format).format(days)
  }
  const [hours, ...rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor)
  return [...(hours ? [hours] : []), ...rest]
    .map((part, i) => (i ? String(part).padStart(2, '0') : part))
    .join(':')
}
