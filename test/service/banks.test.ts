// npm run banks: a member list with its traps becomes a deployment's own list and logos.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BankList } from '../../src/fps/bank.ts'
import { IMPOSTORS, PICTURES } from '../support/pictures.ts'

const png = (side = 64) => Buffer.from(PICTURES['image/png']?.(side, side) ?? [])
const webp = Buffer.from(PICTURES['image/webp']?.(64, 64) ?? [])

/** What the server has, by path. */
const FILES: Record<string, Buffer | number> = {
  '/logo/1.png': png(),
  '/logo/2': webp,
  '/logo/large.png': Buffer.concat([png(), Buffer.alloc(256 * 1024)]),
  '/logo/bomb.png': png(20_000),
  '/logo/vector.svg': Buffer.from(IMPOSTORS['an SVG'] ?? []),
  '/logo/moved.png': 302,
}
const LIST = {
  version: '1.0',
  dictionary: [
    {
      bankName: ' Первый ',
      schema: 'bank100000000001',
      logoURL: '/logo/1.png',
      package_name: 'ru.first',
      webClientUrl: 'https://first.example/sbp',
      isWebClientActive: 'true',
    },
    {
      bankName: 'Второй',
      schema: 'bank100000000002',
      logoURL: '/logo/2',
      webClientUrl: 'https://second.example/',
    },
    { bankName: 'Без знака', schema: 'bank100000000003' },
    { bankName: 'Большой', schema: 'bank100000000004', logoURL: '/logo/large.png' },
    { bankName: 'Бомба', schema: 'bank100000000005', logoURL: '/logo/bomb.png' },
    { bankName: 'Вектор', schema: 'bank100000000006', logoURL: '/logo/vector.svg' },
    { bankName: 'Переехал', schema: 'bank100000000007', logoURL: '/logo/moved.png' },
    { bankName: 'Чужой', schema: 'bank100000000008', logoURL: 'javascript:alert(1)' },
    { bankName: 'Без схемы', logoURL: '/logo/1.png' },
    'no entry',
  ],
}

let server: Server
let origin: string
let directory: string

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const found = url === '/members.json' ? Buffer.from(JSON.stringify(LIST)) : (FILES[url] ?? 404)
    if (typeof found === 'number') response.writeHead(found, { Location: '/logo/1.png' }).end()
    else response.end(found)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
})
afterAll(() => server.close())
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fps-qr-banks-'))
  return () => rmSync(directory, { recursive: true, force: true })
})

const banks = (...options: string[]) =>
  promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    'bin/banks/banks.ts',
    ...options,
  ])
const written = () => JSON.parse(readFileSync(join(directory, 'banks.json'), 'utf8'))

describe('npm run banks', () => {
  it('keeps what pages can show, with logos of its own, and says which have none and why', async () => {
    const { stdout, stderr } = await banks('--from', `${origin}/members.json`, '--to', directory)
    expect(stdout).toBe(`${directory}/banks.json: 8 banks, 2 with a logo\n`)
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      'Без знака has no logo: the list names none',
      'Большой has no logo: it is larger',
      'Бомба has no logo: it has 20000 × 20000 pixels',
      'Вектор has no logo: it is something else',
      'Переехал has no logo: its server answered 302',
      'Чужой has no logo: no connection',
    ])
    const { dictionary } = written()
    expect(dictionary.slice(0, 3)).toEqual([
      {
        bankName: 'Первый',
        schema: 'bank100000000001',
        logoURL: expect.stringMatching(/^\/banks\/bank100000000001-[0-9a-f]{12}\.png$/),
        package_name: 'ru.first',
        webClientUrl: 'https://first.example/sbp',
        isWebClientActive: true,
      },
      {
        bankName: 'Второй',
        schema: 'bank100000000002',
        logoURL: expect.stringMatching(/^\/banks\/bank100000000002-[0-9a-f]{12}\.webp$/),
      },
      { bankName: 'Без знака', schema: 'bank100000000003' },
    ])
    // The service reads it, logos included, and every logo is there.
    const read = BankList.parse(written())
    expect(read).toHaveLength(8)
    const logos = read.flatMap(({ logo }) => logo ?? [])
    expect(logos.map((logo) => readFileSync(join(directory, logo)))).toEqual([png(), webp])
    expect(JSON.stringify(dictionary)).not.toMatch(/127\.0\.0\.1|javascript/)
  })

  it('reads a file with logos beside it; run again, it leaves no logo of the list before', async () => {
    const source = join(directory, 'source')
    mkdirSync(source)
    writeFileSync(join(source, 'a.png'), png())
    const file = join(source, 'list.json')
    const bank = { bankName: 'Банк', schema: 'bank100000000001', logoURL: 'a.png' }
    writeFileSync(file, JSON.stringify({ dictionary: [bank, { ...bank, schema: 'bank100000000002' }] }))
    await banks('--from', file, '--to', directory)
    expect(readdirSync(join(directory, 'banks'))).toHaveLength(2)
    writeFileSync(join(directory, 'banks', 'mine.png'), png())
    writeFileSync(file, JSON.stringify({ dictionary: [bank] }))
    await banks('--from', file, '--to', directory)
    expect(readdirSync(join(directory, 'banks'))).toEqual([
      expect.stringMatching(/^bank100000000001-/),
      'mine.png',
    ])
  })

  it.each([
    [['--to', '.'], '--from is not given, must be a URL or a file'],
    [['--from', 'list.json', '--to', '/nowhere'], '--to is /nowhere, must be a directory that exists'],
    [['--from', 'list.json', '--form', 'x'], '--form is unknown, did you mean --from'],
  ])('with %j is refused', async (options, text) => {
    await expect(banks(...options)).rejects.toMatchObject({ stderr: `${text}\n`, code: 1 })
  })

  it.each([
    ['no list', '{"banks":[]}', /has no dictionary/],
    ['no JSON', '<html>', /JSON/],
    ['no usable bank', '{"dictionary":[{"bankName":"x"}]}', /has no usable bank/],
  ])('that reads %s writes nothing', async (_, text, error) => {
    const file = join(directory, 'list.json')
    writeFileSync(file, text)
    await expect(banks('--from', file, '--to', directory)).rejects.toMatchObject({
      stderr: expect.stringMatching(error),
    })
    expect(readdirSync(directory)).toEqual(['list.json'])
  })
})
