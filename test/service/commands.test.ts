// The commands of all documents as a reader pastes them: each block is whole in each shell. What they do is tested elsewhere.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
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

/** Reads each of its arguments in the shell that it is called as, and says what is wrong with it. */
const READ =
  'for each; do said=$("$0" -n -c "$each" 2>&1) || said="$0: $? $said"; printf "%s\\0" "$said"; done'

const withoutDocuments = (block: string) => block.replaceAll(/<<'?(\w+)'?\n[\s\S]*?^\1$/gm, '')
/** The block with each comment as a command: so an interactive zsh reads it. */
const asCommands = (block: string) =>
  withoutDocuments(block).replaceAll(/^# .*$/gm, (line) => `:${line.slice(1)}`)

/** What each shell says of commands. A small process starts each shell for all of them: a start from this large one takes long. */
const problems = new Map<string, (string | undefined)[]>()
const COMMANDS = [...new Set(BLOCKS.flatMap(([, block]) => [block, asCommands(block)]))]
beforeAll(() => {
  const said = SHELLS.map((shell) => {
    const { status, stdout, error } = spawnSync('sh', ['-c', READ, shell, ...COMMANDS], { encoding: 'utf8' })
    const texts = status === 0 ? stdout.split('\0') : []
    // One more is the end of the last.
    if (texts.length !== COMMANDS.length + 1) throw new Error(`${shell} did not read all commands: ${error}`)
    return texts
  })
  for (const [i, commands] of COMMANDS.entries())
    problems.set(
      commands,
      said.map((each) => each[i]),
    )
})
const expectNoProblem = (commands: string) => expect(problems.get(commands)).toEqual(SHELLS.map(() => ''))

describe.each(BLOCKS)('%s', (_, block) => {
  it('is read to its end by every shell', () => expectNoProblem(block))

  // An interactive zsh takes no comments: curl would send the request, and its token, to hosts of these names too.
  it('has no comment behind a command', () => {
    expect(
      withoutDocuments(block)
        .split('\n')
        .filter((line) => /\S\s+#(\s|$)/.test(line)),
    ).toEqual([])
  })

  // There a comment is a command that does not exist, with arguments: an apostrophe would begin one that does not end.
  it('has no comment that an interactive zsh cannot read', () => {
    expectNoProblem(asCommands(block))
    expect(
      withoutDocuments(block)
        .split('\n')
        .filter((line) => /^#[^"']*[|&;<>]/.test(line)),
    ).toEqual([])
  })
})
