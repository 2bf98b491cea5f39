// The examples in PHP, in PHP itself.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sevenExamples } from '../support/seven-examples.ts'

const examples = join(import.meta.dirname, '../../examples')

it('php is installed, 8 or newer, with curl', () => {
  const code = 'echo PHP_MAJOR_VERSION, " ", extension_loaded("curl") ? "curl" : "";'
  const { stdout } = spawnSync('php', ['-r', code], { encoding: 'utf8' })
  expect(stdout ?? '', 'install PHP: apt-get install php-cli php-curl').toMatch(/^([89]|\d\d) curl$/)
})

sevenExamples('PHP', {
  command: (name, port) =>
    name === 'receive'
      ? ['php', '-S', `127.0.0.1:${port}`, join(examples, 'receiver/receiver.php')]
      : ['php', join(examples, `php/${name}.php`)],
  listening: /Development Server .* started/,
})
