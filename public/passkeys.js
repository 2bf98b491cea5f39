// Passkeys: a form with data-passkey asks the browser for one, and sends what it answers.
//
// <form method="post" data-passkey="create" data-options="{…}">   or "get"; the options of PublicKeyCredential.parse…OptionsFromJSON
//   <input type="hidden" name="…" data-response>                  gets the JSON of the credential
//   <p role="alert" data-failed hidden>                           the person cancelled, was not recognised, or was too slow
//   <p role="alert" data-exists hidden>                           this device has a passkey of the person already; else data-failed
//   <p data-unsupported hidden>                                   the browser has no passkeys
//   <noscript>                                                    a passkey needs JavaScript
//   <button hidden>                                               is shown where a passkey can be asked for; its name is not sent

const PARSERS = { create: 'parseCreationOptionsFromJSON', get: 'parseRequestOptionsFromJSON' }

for (const form of document.querySelectorAll('form[data-passkey]')) {
  const parse = globalThis.PublicKeyCredential?.[PARSERS[form.dataset.passkey]]
  const isSupported = Boolean(parse && PublicKeyCredential.prototype.toJSON)
  show(form, 'unsupported', !isSupported)
  for (const button of buttonsOf(form)) button.hidden = !isSupported
  if (isSupported) form.addEventListener('submit', ask)
}

async function ask(event) {
  event.preventDefault()
  const form = event.currentTarget
  const { passkey: method, options } = form.dataset
  for (const name of ['failed', 'exists']) show(form, name, false)
  try {
    const publicKey = PublicKeyCredential[PARSERS[method]](JSON.parse(options))
    const credential = await navigator.credentials[method]({ publicKey })
    form.querySelector('[data-response]').value = JSON.stringify(credential.toJSON())
    // Without another event.
    form.submit()
  } catch (error) {
    const isThere = error.name === 'InvalidStateError' && form.querySelector('[data-exists]')
    show(form, isThere ? 'exists' : 'failed', true)
    // console.js disables it in a task that was queued before: a browser can refuse at once.
    setTimeout(() => {
      for (const button of buttonsOf(form)) button.disabled = false
    })
  }
}

function buttonsOf(form) {
  return form.querySelectorAll('button')
}

function show(form, name, isShown) {
  const element = form.querySelector(`[data-${name}]`)
  if (element) element.hidden = !isShown
}
