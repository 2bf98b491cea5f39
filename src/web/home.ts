// The page at /: what the service is, for a person and for a program; in the sandbox with a form that creates a QR code.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { ERRORS } from '../errors.ts'
import { isSandbox } from '../gateway/connection.ts'
import type { Service } from '../gateway/context.ts'
import type { AppEnv } from '../http/app-env.ts'
import { originOf } from '../http/path.ts'
import { json } from '../http/response.ts'
import { createDemoQrCode, type Demo, demoForm, demoOf, demoResult } from './demo.ts'
import { DEMO_SITE } from './demo-site.ts'
import { example } from './home-example.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { layout } from './layout.ts'
import { noSimulation } from './no-simulation.ts'
import { languageOf, page } from './page.ts'
import { isPerson } from './person.ts'

const ADDRESSES = {
  documentation: '/docs',
  openapi: '/openapi.json',
  health: '/healthz',
  api: '/payin/v1',
}

/** GET / */
export const home = (service: Service) => async (c: Context<AppEnv>) => {
  if (!isPerson(c)) {
    const summary = 'Payment QR codes for a faster payment system'
    return json(
      c,
      { service: 'fps-qr', summary, sandbox: isSandbox(service.config, DEMO_SITE), ...ADDRESSES },
      { Vary: 'Accept' },
    )
  }
  const link = c.req.query('link')
  return show(c, service, link === undefined ? {} : await demoOf(c, service, link))
}

/** POST /: creates a QR code and redirects to the page that shows it; a refusal is shown in the page. */
export const createDemo = (service: Service) => async (c: Context<AppEnv>) => {
  const made = await createDemoQrCode(c, service)
  return made instanceof Response ? made : show(c, service, made)
}

function show(c: Context<AppEnv>, service: Service, demo: Demo): Promise<Response> {
  const { config } = service
  const status = demo.refusal ? ERRORS[demo.refusal.code].status : 200
  const lang = languageOf(c)
  const texts = HOME_TEXTS[lang]
  const hasDemo = isSandbox(config, DEMO_SITE)
  const link = demo.made?.qrCode.payload
  const [[docs, documentation]] = texts.links
  // Five minutes begin with a checkout, which a merchant of a deployment does not have.
  const testing = config.testNetwork?.isServed && `${docs}guides/testing#${texts.testSite}`
  const begin = hasDemo ? '#demo' : testing
  const { request, answer } = example(config.publicUrl ?? originOf(c))
  const code = (title: string, text: string) =>
    html`<figure><figcaption>${title} <button class="copy" data-copied="${texts.copied}">${texts.copy}</button></figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`
  const main = html`
    <link rel="stylesheet" href="home.css">
    <script src="home.js" type="module"></script>
    <main class="home">
      <section class="lead">
        <h1 tabindex="-1">${texts.title}</h1>
        <p>${texts.lead}</p>
        <p class="begin">${begin && html`<a class="button primary" href="${begin}">${texts.begin}</a>`}
        <a class="button quiet" href="${docs}">${documentation}</a></p>
      </section>
      <section class="exchange">${code(texts.request, request)}${code(texts.answer, answer)}</section>
      ${noSimulation(service, DEMO_SITE, lang)}
      ${hasDemo && demoForm(config, demo, lang)}
      ${hasDemo && demoResult(demo, lang)}
      <ul class="features">${texts.features.map(([title, text]) => html`<li><h2>${title}</h2><p>${text}</p></li>`)}</ul>
      <section class="next">
        <h2>${texts.next}</h2>
        <ul>${texts.links.map(([href, name, text]) => html`<li><a href="${href}">${name}</a> — ${text}</li>`)}</ul>
      </section>
    </main>`
  const body = layout({
    language: lang,
    title: texts.title,
    root: '',
    addressIn: (other) => `?lang=${other}${link ? `&link=${encodeURIComponent(link)}` : ''}`,
    sandbox: hasDemo,
    isPublic: true,
    main,
  })
  return page(c, body, { status, forms: hasDemo, headers: { Vary: 'Accept, Accept-Language' } })
}
