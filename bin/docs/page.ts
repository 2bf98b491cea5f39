// The OpenAPI document as a page to read: static HTML in the design of the other pages, which needs no script.
import { html } from 'hono/html'
import { ERRORS } from '../../src/errors.ts'
import type { OpenApiDocument } from '../../src/openapi/objects.ts'
import { type Html, layout } from '../../src/web/layout.ts'
import { fieldTables, methodOf, operationArticle, parameterTables, webhookArticle } from './articles.ts'
import { inline, text } from './markdown.ts'

export function docsPage({ info, tags, paths, webhooks, components }: OpenApiDocument): Html {
  const { schemas } = components
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags: [name] }) => name === tag.name),
  }))
  const notifications = Object.entries(webhooks).map(([type, { post }]) => ({ type, ...post }))
  const [anyNotification] = notifications
  const links = (articles: readonly { operationId: string; summary: string; method: string }[]) =>
    html`<ul>${articles.map(({ operationId, summary, method }) => html`<li>${methodOf(method)} <a href="#${operationId}">${summary}</a></li>`)}</ul>`

  return layout({
    language: 'en',
    title: `${info.title}: the API`,
    root: '',
    isPublic: true,
    policy:
      "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; base-uri 'none'; form-action 'none'",
    main: html`
    <main class="docs">
      <div class="contents">
        <details><summary>Contents</summary></details>
        <nav aria-label="Contents">${groups.map(
          ({ name, operations }) => html`
          <h2>${name}</h2>
          ${links(operations)}`,
        )}
          <h2><a href="#received">Notifications you receive</a></h2>
          ${links(notifications.map((each) => ({ ...each, method: 'POST' })))}
          <h2><a href="#errors">Errors</a></h2>
        </nav>
      </div>
      <section class="lead">
        <p><a href="./">Start page</a></p>
        <h1>${info.title}</h1>
        <p>${info.summary}. Version ${info.version}; the same for programs: <a href="openapi.json">OpenAPI 3.1</a>.</p>
        ${text(info.description)}
      </section>
      <div>${groups.map(
        ({ name, description, operations }) => html`
      <section aria-label="${name}">
        <h2>${name}</h2>
        <p>${inline(description)}.</p>${operations.map((operation) => operationArticle(operation, schemas))}
      </section>`,
      )}
      <section id="received" aria-label="Notifications you receive">
        <h2>Notifications you receive</h2>
        <p>The service sends a <code>POST</code> with JSON to the <code>callbackUrl</code> of the <a href="#putSettings">settings</a>. It signs each notification with your <a href="#createNotificationKey">notification key</a>: without a key, nothing is sent. Your server does three things:</p>
        <ol>
          <li>It verifies <code>webhook-signature</code>. In the source of the service, <code>examples/receiver/receiver.mjs</code> (Node) and <code>examples/receiver/receiver.py</code> (Python) are complete receivers.</li>
          <li>It stores the notification under its <code>webhook-id</code>, and ignores one that it has already: a notification can come several times.</li>
          <li>It answers with any 2xx status within 10 seconds.</li>
        </ol>
        <h3>What every notification has</h3>
        ${parameterTables(Object.values(components.parameters), schemas)}
        <p>The header <code>Signature</code> is for receivers that use it already. Each notification below says what it covers. To check your code: the key <code>skey</code> and the text <code>4226144|2019-10-02T18:10:12+03:00|2.00</code> give <code>0572c2153b1b57b1eddb9124ca6b8868e57eb3dce29220417922f18e7788285c</code>.</p>
        <h3>What your server answers</h3>
        <ul>${Object.entries(anyNotification?.responses ?? {})
          .toSorted()
          .map(
            ([status, { description }]) =>
              html`<li><code class="method">${status === 'default' ? 'other' : status}</code> ${inline(description)}</li>`,
          )}</ul>
        ${notifications.map(({ type, ...webhook }) => webhookArticle(type, webhook, schemas))}
      </section>
      <section id="errors">
        <h2>Errors</h2>
        <p>An error is a JSON object. The log of the service has the <code>traceId</code>.</p>
        ${fieldTables({ $ref: '#/components/schemas/ErrorAnswer' }, schemas, 'answer')}
        <div class="scroll"><table>
          <thead><tr><th scope="col">HTTP</th><th scope="col">errorCode</th><th scope="col">When</th></tr></thead>
          <tbody>${Object.entries(ERRORS).map(([code, { status, when }]) => html`<tr><td>${status}</td><td><code>${code}</code></td><td>${inline(when)}</td></tr>`)}</tbody>
        </table></div>
      </section>
      </div>
    </main>`,
  })
}
