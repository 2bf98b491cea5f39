// The package as it is published.
import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import * as z from 'zod'
import { machineNode } from '../../test/support/machine-node.ts'

const { directory, files } = inject('clientPackage')
const installed = join(directory, 'node_modules/@fps-qr/client')
const read = (path: string) => readFileSync(join(installed, path), 'utf8')

it('has the built code with its types, README and licence, and nothing else', () => {
  const modules =
    'abort amount client errors events http index notifications orders pages payment-element receipts retry schema settlements shop wait'.split(
      ' ',
    )
  const built = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])
  expect(files.toSorted()).toEqual(['LICENSE', 'README.md', ...built, 'package.json'].toSorted())
  const bytes = files.map((path) => statSync(join(installed, path)).size).reduce((sum, size) => sum + size, 0)
  console.log(`the package has ${files.length} files, ${bytes} bytes`)
})

it('needs no other package, and runs nothing when it is installed', () => {
  const manifest = z.record(z.string(), z.unknown()).parse(JSON.parse(read('package.json')))
  expect(Object.keys(manifest)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(dependencies|peerDependencies|optionalDependencies)$/)]),
  )
  expect(Object.keys(z.record(z.string(), z.string()).parse(manifest.scripts)).toSorted()).toEqual([
    'build',
    'prepack',
  ])
})

it('imports nothing but its own files, so that it runs where there is no Node', () => {
  const imported = files
    .filter((path) => path.startsWith('dist/'))
    .flatMap((path) =>
      Array.from(read(path).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g), ([, name]) => name),
    )
  expect(imported.length).toBeGreaterThan(10)
  expect(imported.filter((name) => !/^\.\/[a-z]+\.(js|ts)$/.test(name ?? ''))).toEqual([])
  const globals = files.filter(
    (path) => path.endsWith('.js') && /\b(process|Buffer|require)\b/.test(read(path)),
  )
  expect(globals).toEqual([])
})

it('exports these names, on this machine’s own Node', () => {
  const code = "console.log(JSON.stringify(Object.keys(await import('@fps-qr/client')).sort()))"
  const options = { cwd: directory, encoding: 'utf8' } as const
  const output = execFileSync(machineNode(), ['--input-type=module', '-e', code], options)
  expect(JSON.parse(output)).toEqual([
    ...[
      'AccessError',
      'ApiError',
      'ConflictError',
      'ConnectionError',
      'ConnectionRefusedError',
      'CursorGoneError',
      'FpsQr',
      'FpsQrError',
    ],
    ...['InvalidRequestError', 'NotFoundError', 'NotificationError', 'RateLimitError', 'UnavailableError'],
    ...[
      'cancelOrder',
      'checkSettings',
      'createOrderCode',
      'fromKopecks',
      'notificationKeys',
      'orderOf',
      'readOrder',
    ],
    ...[
      'receiptContact',
      'receiptItems',
      'receiptVat',
      'shopClient',
      'spreadDiscount',
      'toKopecks',
      'verifyNotification',
    ],
  ])
})
