// What npm run build leaves in dist: a complete build under its name at every moment.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, realpathSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeEach, expect, it } from 'vitest'
import { beginBuild, publish } from '../../bin/serve/distribution.ts'
import { temporaryDirectory } from '../support/serve.ts'

let parent: string
let link: string
beforeEach(() => {
  parent = realpathSync(temporaryDirectory())
  link = join(parent, 'fps-qr')
})

/** A complete build, as far as `run` looks at it. */
function built(): string {
  const build = beginBuild(link)
  for (const file of ['run', 'lock']) copyFileSync(join('deploy', file), join(build, file))
  return build
}

/** Looks whether a path leads anywhere, until its input ends; says when it begins, and how often it did not. */
const WATCHER = `
  let [isEnded, misses] = [false, 0]
  process.stdin.on('end', () => { isEnded = true }).resume()
  const look = () => {
    for (let i = 0; i < 1000; i++) if (!require('node:fs').existsSync(process.argv[1])) misses++
    if (isEnded) console.log(misses)
    else setImmediate(look)
  }
  console.log('looking')
  look()`

it('the name leads to a complete build at every moment while builds replace each other', async () => {
  publish(built(), link)
  const watcher = spawn(process.execPath, ['-e', WATCHER, join(link, 'run')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: watcher.stdout })
  await once(lines, 'line')
  for (let i = 0; i < 300; i++) publish(built(), link)
  watcher.stdin.end()
  expect(await once(lines, 'line')).toEqual(['0'])
})

it('a build that fails leaves the latest, and what is no build', () => {
  const latest = built()
  publish(latest, link)
  const failed = beginBuild(link)
  writeFileSync(join(failed, 'config.capnp'), 'half of it')
  writeFileSync(join(parent, 'openapi.json'), 'of another program')
  const next = built()
  expect(realpathSync(link)).toBe(latest)
  publish(next, link)
  expect(realpathSync(link)).toBe(next)
  expect(existsSync(join(parent, 'openapi.json'))).toBe(true)
})

it('three builds are kept besides a new one: a service runs from one of them, another can be at work', () => {
  const builds = Array.from({ length: 6 }, (_, n) => {
    const build = built()
    publish(build, link)
    utimesSync(build, n, n)
    return build
  })
  expect(builds.map((build) => existsSync(build))).toEqual([false, false, true, true, true, true])
})

it('the latest is kept, however many builds have failed since', () => {
  const latest = built()
  publish(latest, link)
  utimesSync(latest, 0, 0)
  for (let n = 0; n < 5; n++) beginBuild(link)
  expect(realpathSync(link)).toBe(latest)
})

it('run uses one build, also if the link changes while it starts', () => {
  const build = built()
  publish(build, link)
  const env = { ...process.env, WORKERD: 'echo' }
  const { stdout } = spawnSync(join(link, 'run'), [join(parent, 'data')], { env, encoding: 'utf8' })
  expect(stdout).toContain(`serve ${build}/config.capnp config`)
  expect(stdout).toContain(`--directory-path=files=${build}/public`)
})
