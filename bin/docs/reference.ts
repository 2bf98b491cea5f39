// The OpenAPI document as pages of Markdown: one for each resource, with its operations and their examples.
import { BODY_ERRORS, COMMON_ERRORS, LIMITED_ERRORS } from '../../src/openapi/common-errors.ts'
import type {
  OpenApiDocument,
  OperationObject,
  Parameter,
  Schema,
  WebhookObject,
} from '../../src/openapi/objects.ts'
import { commandsOf } from './commands.ts'
import { type Direction, fieldsOf, type Row, rowOf, type Schemas } from './fields.ts'
import { tabbed } from './tabs.ts'

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const
/** The page on errors describes these; the fields of validation.error depend on the operation. */
const PART_OF_ALL = new Set<string>(
  [...COMMON_ERRORS, ...BODY_ERRORS, ...LIMITED_ERRORS].filter((code) => code !== 'validation.error'),
)

/** The address of a resource's page. */
export const slugOf = (tag: string): string => `reference/${tag.toLowerCase().replaceAll(' ', '-')}`

export function resourcePage({ tags, paths, components }: OpenApiDocument, tag: string): string {
  const { schemas } = components
  const description = tags.find(({ name }) => name === tag)?.description ?? ''
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === tag)
      .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
  return [
    `# ${tag}`,
    `${description}.`,
    contents(operations),
    ...operations.map((operation) => operationSection(operation, schemas)),
  ].join('\n\n')
}

/** The operations on notifications, and the notifications themselves. */
export function notificationsPage(document: OpenApiDocument): string {
  const { webhooks, components } = document
  const { schemas, parameters } = components
  const notifications = Object.entries(webhooks).map(([type, { post }]) => ({ type, ...post }))
  const answers = Object.entries(notifications[0]?.responses ?? {}).toSorted()
  return `${resourcePage(document, 'Notifications')}

## Notifications you receive

The service sends a \`POST\` with JSON to the \`callbackUrl\` of the [settings](/docs/reference/settings#putSettings), signed with
your [notification key](/docs/reference/settings#createNotificationKey). [The guide](/docs/guides/notifications) has complete
receivers.

${contents(notifications.map((each) => ({ ...each, method: 'POST' })))}

### What every notification has

${parameterLists(Object.values(parameters), schemas)}

To check your code of the header \`Signature\`: the key \`skey\` and the text \`4226144|2019-10-02T18:10:12+03:00|2.00\` give
\`0572c2153b1b57b1eddb9124ca6b8868e57eb3dce29220417922f18e7788285c\`.

### What your server answers

${answers
  .map(
    ([status, { description }]) => `- **${status === 'default' ? 'other' : status}** ${escaped(description)}`,
  )
  .join('\n')}

${notifications.map(({ type, ...webhook }) => webhookSection(type, webhook, schemas)).join('\n\n')}`
}

const contents = (operations: readonly { operationId: string; summary: string; method: string }[]) =>
  `<ul class="operations">${operations
    .map(
      ({ operationId, summary, method }) =>
        `<li>${methodOf(method)} <a href="#${operationId}">${summary}</a></li>`,
    )
    .join('')}</ul>`

type Operation = OperationObject & { path: string; method: string }

function operationSection(operation: Operation, schemas: Schemas): string {
  const { operationId, summary, description, method, path, security, parameters, responses } = operation
  const content = operation.requestBody?.content ?? {}
  // A file can be JSON too: it has no example.
  const request = content['application/json']?.examples ? content['application/json'] : undefined
  const [fileType] = request ? [] : Object.keys(content)
  const [status = '', response] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const answer = response?.content?.['application/json']
  const [sent] = Object.values(request?.examples ?? {})
  const [shown] = Object.values(answer?.examples ?? {})
  const scopes = security.flatMap(({ accessToken = [] }) => accessToken)
  const values = Object.fromEntries(
    parameters
      .filter((each) => each.in === 'path')
      .map(({ name, schema }) => [name, `${schema.examples?.[0] ?? name}`]),
  )
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? name))
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  return `<section class="operation" id="${operationId}">

## ${summary}

<p class="address">${methodOf(method)} <code>${path.replaceAll('/', '/<wbr>').replaceAll(/\{(\w+)\}/g, '<var>{$1}</var>')}</code></p>

<div class="columns"><div class="about">

${escaped(description)}

Scope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}

${parameterLists(parameters, schemas)}

${request ? `<h3>Request body</h3>\n\n${fieldLists(request.schema, schemas, 'request')}` : ''}

<h3>Response</h3>

<p>${statusOf(status)} ${inline(response?.description ?? '')}</p>

${answer ? `<details class="fields-of"><summary>Fields of the response</summary>\n\n${fieldLists(answer.schema, schemas, 'answer')}\n\n</details>` : ''}

${ownErrors(operation)}

</div><div class="example">

${tabbed(`${commandsOf({ operationId, method, path: filled, parameters: values, body: sent?.value, fileType })}\n`)}

${shown ? `<p class="of-example">Response</p>\n\n\`\`\`json\n${JSON.stringify(shown.value, null, 2)}\n\`\`\`` : ''}

${fileType ? '' : `<docs-try data-method="${method}" data-path="${path}" data-values="${attribute(JSON.stringify(values))}" data-query="${query.join(' ')}"${sent === undefined ? '' : ` data-body="${attribute(JSON.stringify(sent.value, null, 2))}"`}></docs-try>`}

</div></div>

</section>`
}

function webhookSection(type: string, webhook: WebhookObject, schemas: Schemas): string {
  const { operationId, summary, description, parameters, requestBody } = webhook
  const body = requestBody.content['application/json']
  const own = parameters.filter((each) => 'name' in each)
  const examples = Object.values(body?.examples ?? {})
  return `<section class="operation" id="${operationId}">

## ${summary}

<p class="address">${methodOf('POST')} <code>callbackUrl</code>, type <code>${type}</code></p>

<div class="columns"><div class="about">

${escaped(description)}

${parameterLists(own, schemas)}

<h3>Body</h3>

${body ? fieldLists(body.schema, schemas, 'answer') : ''}

</div><div class="example">

${examples.map(({ summary, value }) => `<p class="of-example">${summary}</p>\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``).join('\n\n')}

</div></div>

</section>`
}

const methodOf = (method: string) => `<code class="method" data-method="${method}">${method}</code>`

const statusOf = (status: string) => `<code class="status" data-class="${status[0]}">${status}</code>`

/** A list for each place in which parameters are. */
const parameterLists = (parameters: readonly Parameter[], schemas: Schemas) =>
  (['path', 'query', 'header'] as const)
    .flatMap((place) => {
      const rows = parameters
        .filter((each) => each.in === place)
        .map(({ name, schema, description, required }) =>
          rowOf(name, { ...schema, description }, schemas, required ? 'required' : ''),
        )
      return rows.length > 0 ? [`<h3>${PLACES[place]}</h3>\n\n${list(rows)}`] : []
    })
    .join('\n\n')

const fieldLists = (schema: Schema, schemas: Schemas, direction: Direction) =>
  fieldsOf(schema, schemas, direction).map(list).join('\n\n<p>Or:</p>\n\n')

const list = (rows: readonly Row[]) =>
  `<dl class="fields">${rows
    .map(
      ({ name, type, presence, rule }) =>
        `<div><dt><code>${name}</code> <span class="type">${type}</span>${presence && ` <span class="presence" data-presence="${presence.split(' ')[0]}">${inline(presence)}</span>`}</dt><dd>${inline(rule)}</dd></div>`,
    )
    .join('')}</dl>`

/** What this operation refuses of its own, one line for each errorCode. */
function ownErrors({ responses }: Operation): string {
  const own = Object.entries(responses)
    .filter(([status]) => status >= '4')
    .flatMap(([status, { description }]) => description.split('\n\n').map((line) => ({ status, line })))
    .filter(({ line }) => !PART_OF_ALL.has(line.split('`')[1] ?? ''))
  const lines = own.map(({ status, line }) => {
    const code = line.split('`')[1] ?? ''
    const rest = line.slice(line.indexOf(':'))
    return `<li>${statusOf(status)} <a href="/docs/errors#${code}"><code>${code}</code></a>${inline(rest)}</li>`
  })
  return `<h3>Errors</h3>

${lines.length > 0 ? `<ul class="errors">${lines.join('')}</ul>\n\n` : ''}<p>${lines.length > 0 ? 'And those' : 'Those'} of <a href="/docs/errors">every operation</a>.</p>`
}

const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const attribute = (value: string) => text(value).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')

/** A description in Markdown, whose < is text. */
const escaped = (markdown: string) =>
  markdown
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? part : text(part)))
    .join('')

/** Text with `code` and **strong** as HTML. */
const inline = (markdown: string) =>
  markdown
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) => {
      if (part.startsWith('`')) return `<code>${text(part.slice(1, -1))}</code>`
      return part.startsWith('**') ? `<strong>${text(part.slice(2, -2))}</strong>` : text(part)
    })
    .join('')
