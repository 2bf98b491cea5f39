// The start page: copy buttons, and the phone that pays without leaving the page. Without script its buttons lead to the page.

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('.copy')
  if (!button) return
  const text = button.closest('figure').querySelector('code').textContent
  await navigator.clipboard.writeText(text)
  const name = button.textContent
  button.textContent = button.dataset.copied
  setTimeout(() => {
    button.textContent = name
  }, 2000)
})

// The long poll of page.js shows what became of it.
document.addEventListener('submit', async (event) => {
  const form = event.target
  if (!form.matches('.phone')) return
  event.preventDefault()
  const body = new URLSearchParams(new FormData(form, event.submitter))
  const buttons = form.querySelectorAll('button')
  for (const each of buttons) each.disabled = true
  const answer = await fetch(form.getAttribute('action'), { method: 'POST', body, redirect: 'manual' }).catch(
    () => undefined,
  )
  for (const each of buttons) each.disabled = false
  // A redirect is the success; an amount that is not one is shown by the payer's page itself.
  if (answer?.type !== 'opaqueredirect') location.href = form.getAttribute('action')
})
