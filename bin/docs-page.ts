// The OpenAPI document as a page to read: static HTML in the design of the other pages, without script.
import { html } from 'hono/html'
import { ERRORS } from '../src/errors.ts'
import { type Html, layout } from '../src/web/layout.ts'
import { fieldsOf, OpenApi, type Operation, ruleOf } from './docs-schema.ts'

const BASE = 'https://qr.acquirer.example'
const PART_OF_ALL = new Set(['401', '403', '404', '405', '406', '413', '415', '421', '429', '500', '503'])

/** The page. @param document as openapiDocument makes it */
export function docsPage(document: unknown): Html {
  const { info, tags, paths, components } = OpenApi.parse(document)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ tags: [name] }) => name === tag.name),
  }))
  const fields = (schema: Parameters<typeof fieldsOf>[0]) => fieldsOf(schema, components.schemas)

  const article = (each: Operation & { path: string; method: string }): Html => {
    const request = each.requestBody?.content['application/json']
    const [status = '', response] =
      Object.entries(each.responses).find(([code]) => code.startsWith('2')) ?? []
    const answer = response?.content?.['application/json']
    const body = Object.values(request?.examples ?? {})[0]?.value
    const shown = Object.values(answer?.examples ?? {})[0]?.value
    const scopes = each.security.flatMap(({ accessToken = [] }) => accessToken)
    return html`
      <article id="${each.operationId}">
        <h3>${each.summary}</h3>
        <p><code class="method">${each.method}</code> <code>${each.path}</code></p>
        ${each.description && html`<p>${inline(each.description)}</p>`}
        <p class="hint">Scope: ${scopes.map((scope, i) => html`${i > 0 && ' or '}<code>${scope}</code>`)}</p>
        ${table(
          'Parameters',
          each.parameters?.map(({ name, in: place, description, schema, required }) => ({
            name,
            type: place,
            rule: ruleOf(schema, description),
            required,
          })),
        )}
        ${table('Request', request && fields(request.schema))}
        <h4>Example</h4>
        <pre tabindex="0"><code data-base="${BASE}">${curl(each, body)}</code></pre>
        ${status && html`<p><code class="method">${status}</code> ${response && inline(response.description)}</p>`}
        ${shown !== undefined && html`<pre tabindex="0"><code>${JSON.stringify(shown, null, 2)}</code></pre>`}
        ${answer && html`<details><summary>Fields of the answer</summary>${table('', fields(answer.schema))}</details>`}
        ${refusals(each)}
      </article>`
  }

  return layout({
    language: 'en',
    title: `${info.title}: the API`,
    root: '',
    isPublic: true,
    policy:
      "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; base-uri 'none'; form-action 'none'",
    main: html`
    <main class="docs">
      <section class="lead">
        <p><a href="./">Start page</a></p>
        <h1>${info.title}</h1>
        <p>${info.summary}. Version ${info.version}; the same for programs: <a href="openapi.json">OpenAPI 3.1</a>.</p>
        ${text(info.description)}
      </section>
      <nav aria-label="Operations">${groups.map(
        ({ name, operations }) => html`
        <h2>${name}</h2>
        <ul>${operations.map(({ operationId, summary, method }) => html`<li><code class="method">${method}</code> <a href="#${operationId}">${summary}</a></li>`)}</ul>`,
      )}
        <h2><a href="#errors">Errors</a></h2>
      </nav>
      <div>${groups.map(
        ({ name, description, operations }) => html`
      <section aria-label="${name}">
        <h2>${name}</h2>
        <p>${description}</p>${operations.map(article)}
      </section>`,
      )}
      <section id="errors">
        <h2>Errors</h2>
        <p>An error is a JSON object. <code>description</code> is for the developer, <code>userMessage</code> for the payer, <code>cause</code> names each broken field, and the log has the <code>traceId</code>.</p>
        ${table('', fields({ $ref: '#/components/schemas/ErrorAnswer' }))}
        <div class="scroll"><table>
          <thead><tr><th scope="col">HTTP</th><th scope="col">errorCode</th><th scope="col">When</th></tr></thead>
          <tbody>${Object.entries(ERRORS).map(([code, { status, when }]) => html`<tr><td>${status}</td><td><code>${code}</code></td><td>${inline(when)}</td></tr>`)}</tbody>
        </table></div>
      </section>
      </div>
    </main>`,
  })
}

interface Row {
  name: string
  type: string
  rule: string
  required?: boolean | undefined
}

const table = (title: string, rows: readonly Row[] | undefined) =>
  rows &&
  rows.length > 0 &&
  html`${title && html`<h4>${title}</h4>`}
        <div class="scroll"><table>
          <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Rule</th></tr></thead>
          <tbody>${rows.map(({ name, type, rule, required }) => html`<tr><td><code>${name}</code></td><td>${type}${required && html`, <strong>required</strong>`}</td><td>${inline(rule)}</td></tr>`)}</tbody>
        </table></div>`

/** What this operation refuses of its own; the section on errors has those that every operation can have. */
function refusals({ responses }: Operation) {
  const own = Object.entries(responses).filter(([status]) => status >= '4' && !PART_OF_ALL.has(status))
  return (
    own.length > 0 &&
    html`<ul>${own.map(([status, { description }]) => html`<li><code class="method">${status}</code> ${inline(description)}</li>`)}</ul>`
  )
}

function curl(
  { method, path, parameters = [] }: Operation & { path: string; method: string },
  body: unknown,
): string {
  const example = (name: string) => {
    const { schema } = parameters.find((each) => each.in === 'path' && each.name === name) ?? {}
    return `${schema?.examples?.[0] ?? `<${name}>`}`
  }
  const url = BASE + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => example(name))
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}'${url}'`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ')
}

/** Paragraphs and lists. */
const text = (markdown: string) =>
  markdown.split('\n\n').map((block) =>
    block.startsWith('- ')
      ? html`<ul>${block
          .split(/^- /m)
          .slice(1)
          .map((item) => html`<li>${inline(item)}</li>`)}</ul>`
      : html`<p>${inline(block)}</p>`,
  )

/** Text with `code` and **strong**. */
const inline = (markdown: string) =>
  markdown.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`
  })
