// The examples in Python, in Python itself.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sevenExamples } from '../support/seven-examples.ts'

const examples = join(import.meta.dirname, '../../examples')

it('python3 is installed, 3.9 or newer', () => {
  const { stdout } = spawnSync('python3', ['--version'], { encoding: 'utf8' })
  const [, minor = '0'] = /^Python 3\.(\d+)/.exec(stdout ?? '') ?? []
  expect(Number(minor), 'install Python: apt-get install python3').toBeGreaterThanOrEqual(9)
})

sevenExamples('Python', {
  command: (name) => [
    'python3',
    '-u',
    name === 'receive' ? join(examples, 'receiver/receiver.py') : join(examples, `python/${name}.py`),
  ],
  listening: /^listening/,
})
