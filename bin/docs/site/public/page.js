// What the pages of the documentation do besides the generator's own: tabs, the service's address, "Try it".

/** The root of the service: this file is /docs/page.js. */
const SERVICE = new URL('..', import.meta.url).href.replace(/\/$/, '')
const EXAMPLES = /https:\/\/qr\.acquirer\.example|http:\/\/127\.0\.0\.1:8787/g
const LANGUAGE = document.documentElement.lang

addressHere()
reachTables()
addEventListener('resize', reachTables)
customElements.define(
  'docs-tabs',
  class extends HTMLElement {
    connectedCallback() {
      showTabs(this)
    }
  },
)
for (const place of document.querySelectorAll('docs-try')) offerTry(place)
markOperations()

/** A table that is wider than the screen scrolls, by the keyboard too. */
function reachTables() {
  for (const table of document.querySelectorAll('.sl-markdown-content table'))
    table.tabIndex = table.scrollWidth > table.clientWidth ? 0 : -1
}

/** Marks in the contents the operation that is read: a third below the top of the screen. */
function markOperations() {
  const links = new Map(
    Array.from(document.querySelectorAll('.of-page a'), (link) => [link.hash.slice(1), link]),
  )
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const link = links.get(target.id)
        if (isIntersecting) link?.setAttribute('aria-current', 'location')
        else link?.removeAttribute('aria-current')
      }
    },
    { rootMargin: '-30% 0px -70%' },
  )
  for (const section of document.querySelectorAll('section.operation')) observer.observe(section)
  // On a phone the contents cover the page.
  for (const link of links.values())
    link.addEventListener('click', () => document.querySelector(':popover-open')?.hidePopover())
}

/** The documentation is static: its commands get the address at which it is read. */
function addressHere() {
  for (const code of document.querySelectorAll('.expressive-code pre')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const { currentNode } = texts
      currentNode.data = currentNode.data.replaceAll(EXAMPLES, SERVICE)
    }
    const copy = code.parentElement.querySelector('[data-code]')
    if (copy) copy.dataset.code = copy.dataset.code.replaceAll(EXAMPLES, SERVICE)
  }
}

/** Tabs by the WAI-ARIA pattern; the chosen language is the one of all examples, and of later pages. */
function showTabs(element) {
  const panels = Array.from(element.querySelectorAll(':scope > section'))
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', LANGUAGE === 'ru' ? 'Язык примера' : 'Language of the example')
  const tabs = panels.map((panel, i) => {
    const tab = document.createElement('button')
    const id = `tab-${Array.from(document.querySelectorAll('docs-tabs')).indexOf(element)}-${i}`
    tab.type = 'button'
    tab.id = id
    tab.textContent = panel.dataset.tab
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', `${id}-panel`)
    panel.id = `${id}-panel`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', id)
    tab.addEventListener('click', () => choose(panel.dataset.tab, element))
    list.append(tab)
    return tab
  })
  element.prepend(list)
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length)
    next.focus()
    next.click()
    event.preventDefault()
  })
  element.addEventListener('choose', ({ detail }) => {
    const chosen = panels.find(({ dataset }) => dataset.tab === detail) ?? panels[0]
    panels.forEach((panel, i) => {
      const isChosen = panel === chosen
      panel.hidden = !isChosen
      tabs[i].setAttribute('aria-selected', String(isChosen))
      tabs[i].tabIndex = isChosen ? 0 : -1
    })
  })
  element.dispatchEvent(new CustomEvent('choose', { detail: stored() }))
}

/** All examples change; what the reader looks at stays where it is on the screen. */
function choose(name, element) {
  const before = element.getBoundingClientRect().top
  try {
    localStorage.setItem('docs-language', name)
  } catch {}
  for (const each of document.querySelectorAll('docs-tabs'))
    each.dispatchEvent(new CustomEvent('choose', { detail: name }))
  scrollBy({ top: element.getBoundingClientRect().top - before, behavior: 'instant' })
}

function stored() {
  try {
    return localStorage.getItem('docs-language')
  } catch {
    return null
  }
}

/** The form appears when it is opened. */
function offerTry(place) {
  const details = document.createElement('details')
  details.className = 'try'
  const summary = document.createElement('summary')
  summary.textContent = 'Try it'
  details.append(summary)
  place.append(details)
  details.addEventListener('toggle', () => fill(details, place.dataset), { once: true })
}

/** Whether the service is a sandbox, asked once for a page. */
let sandbox
const isSandbox = () => {
  sandbox ??= fetch(`${SERVICE}/`, { headers: { Accept: 'application/json' } })
    .then((answer) => answer.json())
    .then((answer) => answer.sandbox === true)
    .catch(() => false)
  return sandbox
}

/** The token that was typed in this tab; else one of the service, which ends after an hour. */
async function tokenOfTab() {
  const { token, until = Number.POSITIVE_INFINITY } = JSON.parse(sessionStorage.getItem('docs-token') ?? '{}')
  if (token && Date.now() < until) return token
  const answer = await fetch(`${SERVICE}/docs-token`, { method: 'POST' }).catch(() => undefined)
  if (!answer?.ok) return ''
  const made = await answer.json()
  keepToken(made.token, Date.now() + (made.expiresIn - 60) * 1000)
  return made.token
}

const keepToken = (token, until) => sessionStorage.setItem('docs-token', JSON.stringify({ token, until }))

async function fill(details, { method, path, values, query, body }) {
  const form = document.createElement('form')
  details.append(form)
  if (!(await isSandbox())) {
    form.textContent = 'This works in a sandbox only, such as npm start: here a request could move money.'
    return
  }
  const field = (label, input) => {
    const element = document.createElement('label')
    element.append(label, input)
    form.append(element)
    return input
  }
  const make = (name, properties) =>
    Object.assign(document.createElement(name), { spellcheck: false, ...properties })
  const token = field(
    'Access token, kept for this tab only',
    make('input', {
      type: 'password',
      autocomplete: 'off',
      required: true,
      value: await tokenOfTab(),
    }),
  )
  const hint = make('p', { className: 'try-hint' })
  hint.innerHTML =
    'It is one of the site <code>demo</code>, for an hour. Of another: <code>npm run -s token -- SITE</code>'
  form.append(hint)
  const parameters = Object.entries(JSON.parse(values)).map(([name, value]) => [
    name,
    field(name, make('input', { value, required: true, autocomplete: 'off' })),
  ])
  const search = query
    ? field(
        'Query',
        make('input', {
          placeholder: query
            .split(' ')
            .map((name) => `${name}=…`)
            .join('&'),
          autocomplete: 'off',
        }),
      )
    : undefined
  const content =
    body === undefined
      ? undefined
      : field('Body', make('textarea', { value: body, rows: Math.min(body.split('\n').length + 1, 14) }))
  const send = make('button', { textContent: `Send ${method}` })
  const output = make('div', { className: 'try-answer' })
  output.setAttribute('role', 'status')
  form.append(send, output)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    send.disabled = true
    if (token.value.trim() !== (await tokenOfTab())) keepToken(token.value.trim())
    let address = withParameters(path, parameters)
    if (search?.value) address += `?${search.value.replace(/^\?/, '')}`
    const started = performance.now()
    try {
      const answer = await fetch(SERVICE + address, {
        method,
        headers: {
          Authorization: `Bearer ${token.value.trim()}`,
          ...(content && { 'Content-Type': 'application/json' }),
        },
        ...(content && { body: content.value }),
        cache: 'no-store',
      })
      await show(output, answer, Math.round(performance.now() - started))
    } catch (error) {
      output.textContent = String(error)
    }
    send.disabled = false
  })
}

const withParameters = (path, parameters) =>
  parameters.reduce(
    (address, [name, input]) => address.replace(`{${name}}`, encodeURIComponent(input.value)),
    path,
  )

async function show(output, answer, milliseconds) {
  const type = answer.headers.get('Content-Type') ?? ''
  const line = document.createElement('p')
  const status = document.createElement('code')
  status.className = 'status'
  status.dataset.class = Math.floor(answer.status / 100)
  status.textContent = answer.status
  line.append(status, ` ${answer.headers.get('X-Trace-Id') ?? ''}, ${milliseconds} ms`)
  output.replaceChildren(line)
  if (type.startsWith('image/')) {
    const picture = document.createElement('img')
    picture.alt = 'The picture'
    const bytes = new Uint8Array(await answer.arrayBuffer())
    picture.src = `data:${type};base64,${btoa(String.fromCharCode(...bytes))}`
    output.append(picture)
    return
  }
  const text = await answer.text()
  if (!text) return
  const block = document.createElement('pre')
  block.tabIndex = 0
  block.textContent = type.includes('json') ? JSON.stringify(JSON.parse(text), null, 2) : text
  output.append(block)
}
