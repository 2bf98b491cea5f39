// The units of systemd are valid, and what they run exists in a release.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { requires } from '../support/requires.ts'
import { temporaryDirectory } from '../support/serve.ts'

const UNITS = readdirSync('deploy').filter((name) => /\.(service|socket|timer)$/.test(name))

/** The units, of a release in a directory of the test's. @returns their paths */
function unitsIn(root: string): string[] {
  const release = join(root, 'release')
  cpSync('deploy', join(release, 'deploy'), { recursive: true })
  cpSync('deploy/fps-qr', join(release, 'fps-qr'))
  mkdirSync(join(release, 'docs'))
  return UNITS.map((name) => {
    const file = join(root, name)
    writeFileSync(file, readFileSync(join('deploy', name), 'utf8').replaceAll('/opt/fps-qr/', `${release}/`))
    return file
  })
}

const hasAnalyze = requires('systemd-analyze', spawnSync('systemd-analyze', ['--version']).status === 0)

it.runIf(hasAnalyze)('systemd-analyze verify finds nothing in any unit', () => {
  const units = unitsIn(temporaryDirectory())
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
})

it('the unit of an instance of a cluster is that of the service, but for its name, its options and its socket', () => {
  const linesOf = (name: string) => readFileSync(`deploy/${name}`, 'utf8').split('\n')
  const own = new Set(linesOf('fps-qr@.service'))
  const isOther = (line: string) =>
    /^(#|Description|Documentation|Requires|After|Also|ExecStart|StateDirectory=)/.test(line)
  expect(linesOf('fps-qr.service').filter((line) => !isOther(line) && !own.has(line))).toEqual([])
  // The supervisor kills workerd after 12 seconds.
  expect([...own]).toContain('TimeoutStopSec=25')
})

it('fps-qr.socket keeps a connection that has sent nothing for longer than a stop takes', () => {
  const [, seconds] = /^DeferAcceptSec=(\d+)$/m.exec(readFileSync('deploy/fps-qr.socket', 'utf8')) ?? []
  // The supervisor ends long polls for 2 seconds, and kills workerd 15 seconds after the signal.
  expect(Number(seconds)).toBeGreaterThan(17)
})

it.each(['fps-qr', 'fps-connector'])(
  '%s.service gets the socket of its unit, and has time to stop',
  (name) => {
    const service = readFileSync(`deploy/${name}.service`, 'utf8')
    expect(service).toContain(`Requires=${name}.socket\n`)
    expect(readFileSync(`deploy/${name}.socket`, 'utf8')).toMatch(/^Backlog=4096$/m)
    // The supervisor kills workerd after 15 seconds.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(service)?.[1])).toBeGreaterThan(15)
  },
)
