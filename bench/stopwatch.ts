// How long it takes from a clone of a repository, by default this one, to a QR code that a scanner reads:
// node bench/stopwatch.ts [REPOSITORY]. npm's cache counts: without it, the packages are downloaded besides.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paint, read } from '../test/qr/reading.ts'
import { freePort } from '../test/support/ports.ts'
import { figure, table } from './table.ts'

const SCALE = 4
/** What a line of the picture that npm start prints is between: two rows of modules, light ones in the color of text. */
const [WHITE_ON_BLACK, RESET] = ['\u001b[97;40m', '\u001b[0m']

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-stopwatch-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
const clone = join(directory, 'clone')
const rows: string[][] = []
const first = performance.now()
let last = first
const lap = (name: string) => {
  const now = performance.now()
  rows.push([name, figure((now - last) / 1000)])
  last = now
}

execFileSync('git', ['clone', '--quiet', process.argv[2] ?? join(import.meta.dirname, '..'), clone])
lap('git clone')
execFileSync('npm', ['ci'], { cwd: clone, stdio: 'ignore' })
lap('npm ci')
const service = spawn('npm', ['start', '--', '--port', `${await freePort()}`], {
  cwd: clone,
  // npm does not hand signals on: the group ends with it.
  detached: true,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const stop = () => service.exitCode === null && process.kill(-Number(service.pid), 'SIGTERM')
process.on('exit', stop)
let output = ''
for await (const text of service.stdout.setEncoding('utf8')) {
  output += text
  if (output.includes('curl ')) break
}
lap('npm start, until the QR code is in the terminal')
const lines = output
  .split('\n')
  .filter((line) => line.startsWith(WHITE_ON_BLACK))
  .map((line) => line.slice(WHITE_ON_BLACK.length, -RESET.length))
const width = lines[0]?.length ?? 0
const isDark = (x: number, y: number) =>
  y < width && (y % 2 === 0 ? ' ▄' : ' ▀').includes(lines[y >> 1]?.[x] ?? '█')
const side = width * SCALE
const { jsqr: link } = read(paint(side, side, (x, y) => isDark(Math.floor(x / SCALE), Math.floor(y / SCALE))))
const page = await fetch(link)
if (!page.ok) throw new Error(`the QR code leads to ${link}, which is answered ${page.status}`)
lap('it is read, and its page is open')
rows.push(['together', figure((last - first) / 1000)])
console.log(table('From a clone to a scanned QR code, in s', ['', ''], rows))
// What is built in the background needs the clone until it ends.
stop()
await once(service, 'close')
