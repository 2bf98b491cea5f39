// A shell in which a test pastes the commands of a document, one block after the other, as a reader does.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** zsh, the shell of a Mac, where it is installed. */
export const SHELLS = ['bash', 'dash', 'zsh'].filter((shell) => spawnSync(shell, ['-c', '']).status === 0)

export type Shell = ReturnType<typeof openShell>

/** It ends with the first command that fails. @param name one of SHELLS */
export function openShell(name: string, directory: string, env: Record<string, string>) {
  const shell = spawn(name, name === 'zsh' ? ['-f'] : [], {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  let hasEnded = false
  const ended = once(shell, 'close').then(() => {
    hasEnded = true
  })
  shell.stdin.write('set -e\n')

  async function prints(text: string): Promise<void> {
    while (!output.includes(text)) {
      if (hasEnded) throw new Error(`${name} ended before ${text}:\n${output}`)
      await Promise.race([once(shell.stdout, 'data'), ended])
    }
  }
  /** A command takes nothing of what the shell has still to read. */
  const paste = (block: string, then = '') => shell.stdin.write(`{\n${block}\n} </dev/null ${then}\n`)
  let blocks = 0
  /** How much of the output earlier blocks returned. */
  let returned = 0
  return {
    /** Resolves as soon as it has printed the text. @throws Error with its output if it ends before */
    prints,
    /** Runs a block; what was printed since the one before, in the background too. @throws Error as `prints` does */
    async run(block: string): Promise<string> {
      const end = `--- the end of block ${++blocks} ---`
      paste(block)
      shell.stdin.write(`printf '\\n%s\\n' '${end}'\n`)
      await prints(end)
      const from = returned
      returned = output.indexOf(end) + end.length
      return output.slice(from, returned - end.length)
    },
    /** Starts a block that runs until Ctrl-C. */
    start: (block: string) => paste(block, '|| true'),
    /** Ctrl-C. */
    interrupt(): void {
      for (const child of childrenOf(shell.pid)) process.kill(child, 'SIGINT')
    },
    /** Ends it, and what it runs still. */
    async close(): Promise<void> {
      for (const child of childrenOf(shell.pid)) process.kill(child, 'SIGTERM')
      shell.kill('SIGKILL')
      await ended
    },
  }
}

const childrenOf = (pid: number | undefined): number[] =>
  spawnSync('pgrep', ['-P', `${pid}`], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number)
