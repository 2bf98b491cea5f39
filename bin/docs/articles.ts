// An operation, or a notification, in the page of the documentation: what it is, and beside it an example.
import { html } from 'hono/html'
import { BODY_ERRORS, COMMON_ERRORS, LIMITED_ERRORS } from '../../src/openapi/common-errors.ts'
import type { OperationObject, Parameter, Schema, WebhookObject } from '../../src/openapi/objects.ts'
import { curl, jsonBody, quoted } from '../../src/web/curl.ts'
import type { Html } from '../../src/web/layout.ts'
import { type Direction, fieldsOf, type Row, rowOf, type Schemas } from './fields.ts'
import { inline, text } from './markdown.ts'

const BASE = 'https://qr.acquirer.example'
const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const
/** The section on errors describes these; the fields of validation.error depend on the operation. */
const PART_OF_ALL = new Set<string>(
  [...COMMON_ERRORS, ...BODY_ERRORS, ...LIMITED_ERRORS].filter((code) => code !== 'validation.error'),
)

/** An operation with its address; the method is in capital letters. */
export type Operation = OperationObject & { path: string; method: string }

export function operationArticle(operation: Operation, schemas: Schemas): Html {
  const { operationId, summary, description, method, path, security, parameters, responses } = operation
  const request = operation.requestBody?.content['application/json']
  const [status = '', response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const answer = response?.content?.['application/json']
  const [sent] = Object.values(request?.examples ?? {})
  const [shown] = Object.values(answer?.examples ?? {})
  const scopes = security.flatMap(({ accessToken = [] }) => accessToken)
  return html`
      <article id="${operationId}">
        <h3>${summary}</h3>
        <div>
          <p>${methodOf(method)} <code>${path}</code></p>
          ${text(description)}
          <p class="hint">Scope: ${scopes.map((scope, i) => html`${i > 0 && ' or '}<code>${scope}</code>`)}</p>
          ${parameterTables(parameters, schemas)}
          ${request && html`<h4>Request body</h4>${fieldTables(request.schema, schemas, 'request')}`}
          <h4>Response</h4>
          <p><code class="method">${status}</code> ${response && inline(response.description)}</p>
          ${answer && html`<details><summary>Fields of the response</summary>${fieldTables(answer.schema, schemas, 'answer')}</details>`}
          ${ownErrors(operation)}
        </div>
        <div class="example">
          <h4>Example</h4>
          <pre tabindex="0"><code data-base="${BASE}">${commandOf(operation, sent?.value)}</code></pre>
          ${shown && html`<h4>Response</h4><pre tabindex="0"><code>${JSON.stringify(shown.value, null, 2)}</code></pre>`}
        </div>
      </article>`
}

export function webhookArticle(type: string, webhook: WebhookObject, schemas: Schemas): Html {
  const { operationId, summary, description, parameters, requestBody } = webhook
  const body = requestBody.content['application/json']
  const own = parameters.filter((each) => 'name' in each)
  return html`
      <article id="${operationId}">
        <h3>${summary}</h3>
        <div>
          <p>${methodOf('POST')} <code>callbackUrl</code>, type <code>${type}</code></p>
          ${text(description)}
          ${parameterTables(own, schemas)}
          <h4>Body</h4>
          ${body && fieldTables(body.schema, schemas, 'answer')}
        </div>
        <div class="example">${Object.values(body?.examples ?? {}).map(
          ({ summary, value }) => html`
          <h4>${summary}</h4>
          <pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`,
        )}
        </div>
      </article>`
}

export const methodOf = (method: string) =>
  html`<code class="method" data-method="${method}">${method}</code>`

/** A table for each place in which parameters are. */
export const parameterTables = (parameters: readonly Parameter[], schemas: Schemas) =>
  (['path', 'query', 'header'] as const).map((place) => {
    const rows = parameters
      .filter((each) => each.in === place)
      .map(({ name, schema, description, required }) =>
        rowOf(name, { ...schema, description }, schemas, required ? 'required' : ''),
      )
    return rows.length > 0 && html`<h4>${PLACES[place]}</h4>${table(rows)}`
  })

export const fieldTables = (schema: Schema, schemas: Schemas, direction: Direction) =>
  fieldsOf(schema, schemas, direction).map((rows, i) => html`${i > 0 && html`<p>Or:</p>`}${table(rows)}`)

const table = (rows: readonly Row[]) => html`
          <div class="scroll"><table>
            <thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Rule</th></tr></thead>
            <tbody>${rows.map(({ name, type, presence, rule }) => html`<tr><td><code>${name}</code></td><td>${type}${presence && html`, ${presence === 'optional' ? presence : html`<strong>${inline(presence)}</strong>`}`}</td><td>${inline(rule)}</td></tr>`)}</tbody>
          </table></div>`

/** What this operation refuses of its own, one line for each errorCode. */
function ownErrors({ responses }: Operation) {
  const own = Object.entries(responses)
    .filter(([status]) => status >= '4')
    .flatMap(([status, { description }]) => description.split('\n\n').map((line) => ({ status, line })))
    .filter(({ line }) => !PART_OF_ALL.has(line.split('`')[1] ?? ''))
  return html`
          <h4>Errors</h4>
          ${own.length > 0 && html`<ul class="errors">${own.map(({ status, line }) => html`<li><code class="method">${status}</code> ${inline(line)}</li>`)}</ul>`}
          <p class="hint">${own.length > 0 ? 'And those' : 'Those'} of <a href="#errors">every operation</a>.</p>`
}

/** The request of the example. */
function commandOf({ method, path, parameters }: Operation, body: unknown): string {
  const example = (name: string) => {
    const { schema } = parameters.find((each) => each.in === 'path' && each.name === name) ?? {}
    return `${schema?.examples?.[0] ?? `<${name}>`}`
  }
  const url = BASE + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => example(name))
  const address = `${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`
  return curl(
    address,
    body === undefined ? [] : jsonBody(JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')),
  )
}
