// The commands of all documents as a reader pastes them: each block is whole in each shell. What they do is tested elsewhere.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../support/documents.ts'
import { SHELLS } from '../support/shell.ts'

const DOCUMENTS = globSync([
  ...['README.md', 'CONTRIBUTING.md', 'docs/**/*.md', 'client/README.md', 'examples/**/*.md'],
])
const BLOCKS = DOCUMENTS.flatMap((document) =>
  blocksOf(document).map((block, index) => [`${document}, block ${index + 1}`, block] as const),
)

it('there are blocks and shells', () => {
  expect(BLOCKS.length).toBeGreaterThan(80)
  expect(SHELLS.length).toBeGreaterThan(0)
})

describe.each(BLOCKS)('%s', (_, block) => {
  const problemIn = (shell: string, commands: string) => {
    const { status, stderr } = spawnSync(shell, ['-n', '-c', commands], { encoding: 'utf8' })
    return status === 0 ? stderr : `${shell}: ${stderr || status}`
  }
  const withoutDocuments = block.replaceAll(/<<'?(\w+)'?\n[\s\S]*?^\1$/gm, '')

  it('is read to its end by every shell', () => {
    for (const shell of SHELLS) expect(problemIn(shell, block)).toBe('')
  })

  // An interactive zsh takes no comments: curl would send the request, and its token, to hosts of these names too.
  it('has no comment behind a command', () => {
    expect(withoutDocuments.split('\n').filter((line) => /\S\s+#(\s|$)/.test(line))).toEqual([])
  })

  // There a comment is a command that does not exist, with arguments: an apostrophe would begin one that does not end.
  it('has no comment that an interactive zsh cannot read', () => {
    const asCommands = withoutDocuments.replaceAll(/^# .*$/gm, (line) => `:${line.slice(1)}`)
    for (const shell of SHELLS) expect(problemIn(shell, asCommands)).toBe('')
    expect(withoutDocuments.split('\n').filter((line) => /^#[^"']*[|&;<>]/.test(line))).toEqual([])
  })
})
