// The settings of receipts: the receipt follows what is chosen; the service draws it, as its button does without script.
const form = document.querySelector('form[data-receipts]')
let latest = 0
form.addEventListener('change', async () => {
  const mine = ++latest
  const body = new URLSearchParams(new FormData(form))
  body.set('preview', 'yes')
  const answer = await fetch(location.pathname, { method: 'POST', body }).catch(() => undefined)
  if (!answer?.ok || mine !== latest) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const fresh = page.querySelector('.sample')
  if (fresh) document.querySelector('.sample').replaceChildren(...fresh.childNodes)
})
