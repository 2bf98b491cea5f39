// An example request in the languages of the site: curl, Node with the client where it has a method, Python and PHP.
import { curl, jsonBody, quoted } from '../../src/web/curl.ts'

/** Stands for the address of the service; the page replaces it by its own. */
const BASE = 'https://qr.acquirer.example'

interface ExampleRequest {
  operationId: string
  /** In capital letters. */
  method: string
  /** With the values of its parameters. */
  path: string
  /** The values of the parameters, by name. */
  parameters: Record<string, string>
  body?: unknown
  /** The media type of a body that is a file. */
  fileType?: string | undefined
}

/** Blocks of code in Markdown, one for each language. */
export const commandsOf = (request: ExampleRequest): string =>
  [
    block('sh', shell(request)),
    block('js', node(request)),
    block('python', python(request)),
    block('php', php(request)),
  ].join('\n\n')

/** The name of a file that is sent. @param type its media type */
const fileOf = (type: string): string => (type.startsWith('image/') ? 'logo.png' : 'registry.csv')

const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``

function shell({ method, path, body, fileType }: ExampleRequest): string {
  const address = `${method === 'GET' ? '' : `-X ${method} `}${quoted(BASE + path)}`
  if (fileType) return curl(address, [`-H 'Content-Type: ${fileType}'`, `--data-binary @${fileOf(fileType)}`])
  return curl(
    address,
    body === undefined ? [] : jsonBody(JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')),
  )
}

/** The media type of the body of a request. */
const typeOf = ({ body, fileType }: ExampleRequest): string | undefined =>
  fileType ?? (body === undefined ? undefined : 'application/json')

/** The methods of the client, by operationId; what it has not is a fetch. */
const METHODS: Record<string, (path: Record<string, string>, body: string) => string> = {
  createQrCode: (_, body) => `const code = await fps.createQrCode(${body})`,
  putQrCode: (_, body) => `const code = await fps.createQrCode(${body})`,
  getQrCode: ({ qrCodeUid }) =>
    `const code = await fps.getQrCode('${qrCodeUid}')\n// Or, as a long poll that survives lost connections:\nconst final = await fps.waitForPayment('${qrCodeUid}')`,
  cancelQrCode: ({ qrCodeUid }) => `const code = await fps.cancel('${qrCodeUid}')`,
  listQrCodes: () =>
    `for await (const code of fps.qrCodes({ status: ['PAYED'] })) console.log(code.qrCodeUid)`,
  listQrCodePayments: ({ qrCodeUid }) =>
    `for await (const payment of fps.payments('${qrCodeUid}')) console.log(payment.status.value)`,
  getPayment: ({ paymentId }) => `const payment = await fps.getPayment('${paymentId}')`,
  refundPayment: ({ paymentId, refundId }, body) =>
    `await fps.refund('${paymentId}', '${refundId}', ${body})\nconst refund = await fps.waitForRefund('${paymentId}', '${refundId}')`,
  getRefund: ({ paymentId, refundId }) => `const refund = await fps.getRefund('${paymentId}', '${refundId}')`,
  payByToken: ({ qrCodeUid }, body) => `const code = await fps.chargeToken('${qrCodeUid}', ${body})`,
  listEvents: () =>
    `for await (const { events, nextCursor } of fps.events()) {\n  for (const { id, type } of events) console.log(id, type)\n}`,
}

function node(request: ExampleRequest): string {
  const { operationId, method, path, parameters, body, fileType } = request
  const type = typeOf(request)
  const call = METHODS[operationId]
  if (call) {
    const named = operationId === 'putQrCode' ? { qrCodeUid: parameters.qrCodeUid, ...Object(body) } : body
    return `import { FpsQr } from '@fps-qr/client'

const fps = new FpsQr({ baseUrl: '${BASE}', siteId: 'demo', token: process.env.TOKEN })
${call(parameters, literal(named, JAVASCRIPT))}`
  }
  const options = [
    method !== 'GET' && `method: '${method}',`,
    `headers: { Authorization: \`Bearer \${process.env.TOKEN}\`${type ? `, 'Content-Type': '${type}'` : ''} },`,
    fileType && `body: await readFile('${fileOf(fileType)}'),`,
    body !== undefined && `body: JSON.stringify(${literal(body, JAVASCRIPT, '  ')}),`,
  ]
  return `${fileType ? "import { readFile } from 'node:fs/promises'\n\n" : ''}const response = await fetch('${BASE}${path}', {
  ${options.filter(Boolean).join('\n  ')}
})
console.log(response.status, await response.text())`
}

function python(request: ExampleRequest): string {
  const { method, path, body, fileType } = request
  const type = typeOf(request)
  const headers = type ? `, "Content-Type": "${type}"` : ''
  const file = fileType ? `\n    data=open("${fileOf(fileType)}", "rb").read(),` : ''
  return `import json, os, urllib.request

request = urllib.request.Request(
    "${BASE}${path}",
    method="${method}",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"${headers}},${
      body === undefined ? file : `\n    data=json.dumps(${literal(body, PYTHON, '    ')}).encode(),`
    }
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read()${isPicture(path) ? '' : '.decode()'})`
}

function php(request: ExampleRequest): string {
  const { method, path, body, fileType } = request
  const type = typeOf(request)
  const headers = [`'Authorization: Bearer ' . getenv('TOKEN')`]
  if (type) headers.push(`'Content-Type: ${type}'`)
  const file = fileType ? `\n    CURLOPT_POSTFIELDS => file_get_contents('${fileOf(fileType)}'),` : ''
  return `<?php
$curl = curl_init('${BASE}${path}');
curl_setopt_array($curl, [
    CURLOPT_CUSTOMREQUEST => '${method}',
    CURLOPT_HTTPHEADER => [${headers.join(', ')}],
    CURLOPT_RETURNTRANSFER => true,${
      body === undefined ? file : `\n    CURLOPT_POSTFIELDS => json_encode(${literal(body, PHP, '    ')}),`
    }
]);
echo curl_exec($curl), "\\n";`
}

const isPicture = (path: string) => path.endsWith('/image')

interface Syntax {
  indent: string
  text(value: string): string
  key(name: string): string
  open: string
  close: string
  true: string
  false: string
  null: string
  /** An object without fields. */
  empty: string
}
const singleQuoted = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const JAVASCRIPT: Syntax = {
  indent: '  ',
  text: singleQuoted,
  key: (name) => `${name}: `,
  open: '{',
  close: '}',
  true: 'true',
  false: 'false',
  null: 'null',
  empty: '{}',
}
const PYTHON: Syntax = {
  ...JAVASCRIPT,
  indent: '    ',
  text: JSON.stringify,
  key: (name) => `"${name}": `,
  true: 'True',
  false: 'False',
  null: 'None',
}
const PHP: Syntax = {
  ...JAVASCRIPT,
  indent: '    ',
  key: (name) => `'${name}' => `,
  open: '[',
  close: ']',
  empty: 'new stdClass()',
}

/** A value of JSON as a literal of another language. @param at the indentation of its first line */
function literal(value: unknown, syntax: Syntax, at = ''): string {
  if (typeof value === 'string') return syntax.text(value)
  if (typeof value === 'boolean') return value ? syntax.true : syntax.false
  if (value === null) return syntax.null
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, syntax, at)).join(', ')}]`
  if (typeof value !== 'object') return `${value}`
  const inner = at + syntax.indent
  const fields = Object.entries(value).map(
    ([key, each]) => `${inner}${syntax.key(key)}${literal(each, syntax, inner)},`,
  )
  return fields.length === 0 ? syntax.empty : [syntax.open, ...fields, at + syntax.close].join('\n')
}
