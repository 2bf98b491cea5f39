// The programs of the archive of linux-arm64, run by an emulator: Debian's qemu-user-static, with the libraries of libstdc++6-arm64-cross.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { nameOf, releaseOfTree } from '../support/release.ts'
import { requires } from '../support/requires.ts'

const QEMU = 'qemu-aarch64-static'
const hasQemu = requires(QEMU, spawnSync(QEMU, ['--version']).status === 0)

it.runIf(hasQemu)('the programs of the archive of linux-arm64 start, and its node runs a command', () => {
  const made = releaseOfTree()
  const work = mkdtempSync(resolve('dist/arm64-test-'))
  onTestFinished(() => rmSync(work, { recursive: true }))
  const name = nameOf('linux-arm64')
  execFileSync('tar', ['-xzf', join(made.directory, `${name}.tar.gz`), '-C', work])
  const installed = join(work, name)
  const start = (program: string, ...args: string[]) => {
    const command = ['-L', '/usr/aarch64-linux-gnu', join(installed, 'runtime', program), ...args]
    const { status, stdout, stderr } = spawnSync(QEMU, command, { encoding: 'utf8' })
    return { status, stderr, stdout }
  }
  const { components }: { components: { name: string; version: string }[] } = JSON.parse(
    readFileSync(join(installed, 'sbom.cdx.json'), 'utf8'),
  )
  const versionOf = (name: string) => components.find((each) => each.name === name)?.version
  expect(start('node', '--version')).toEqual({ status: 0, stderr: '', stdout: `v${versionOf('node')}\n` })
  // workerd names the day of its release, which is the middle of its version: 1.20261117.1.
  const day = versionOf('workerd')?.replace(/^1\.(\d{4})(\d\d)(\d\d)\..*$/, '$1-$2-$3')
  expect(start('workerd', '--version')).toEqual({ status: 0, stderr: '', stdout: `workerd ${day}\n` })
  expect(start('node', join(installed, 'lib/commands/token.js'), '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('fps-qr token'),
  })
})
