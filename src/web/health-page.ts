// GET /healthz for a person: whether the service works, with a way back.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from '../http/app-env.ts'
import { HOME_TEXTS } from './home-texts.ts'
import { layout } from './layout.ts'
import { languageOf, page } from './page.ts'

/** @param ready resolves where data is written, and rejects where it is not */
export async function healthPage(c: Context<AppEnv>, ready: unknown): Promise<Response> {
  const lang = languageOf(c)
  const { health, startPage } = HOME_TEXTS[lang]
  const works = await Promise.resolve(ready).then(
    () => true,
    () => false,
  )
  const main = html`
    <main class="final" data-status="${works ? 'PAYED' : 503}">
      <section>
        <h1 class="end" tabindex="-1">${health.title}</h1>
        <p class="advice">${works ? health.works : health.fails}</p>
        <p><a href="./">${startPage}</a></p>
      </section>
    </main>`
  return page(
    c,
    layout({
      language: lang,
      title: health.title,
      root: '',
      style: 'payer',
      addressIn: (other) => `?lang=${other}`,
      main,
    }),
    { headers: { Vary: 'Accept, Accept-Language' } },
  )
}
