// The connector's command line: `npm run connector -- [run|check|reload|reconcile|settle|replay] --config FILE …`.
import { createInterface } from 'node:readline'
import { check } from './commands/check.ts'
import { readArguments } from './commands/options.ts'
import { reconcile } from './commands/reconcile.ts'
import { reload } from './commands/reload.ts'
import { replay } from './commands/replay.ts'
import { run } from './commands/run.ts'
import { settle } from './commands/settle.ts'

const USAGE = `npm run connector -- [command] --config FILE --data DIR [options]

  run        takes instructions and webhooks (the default)
             --port 3001  --host 127.0.0.1
             --restored TIME   the disk is a backup of that time: refunds and charges since then are held,
                               documents wait for the list of the service
  check      whether credentials, tokens and webhooks are in order; with --data what is left undone, too
             --data may be left out, before the first run it must be
             --register        sets the webhook at banks that have a call for it
             --site S          whether this site works, and its bank: not what is unfinished
  reload     has the running connector read its configuration again, and prints its faults; --config may be left out
  reconcile  compares a period with the banks and the service
             --from DATE --to DATE
  settle     lists refunds, charges and documents that are held, refunds that could not be sent for 72 hours, documents without
             a result for a day, and amounts that differ;
             with these options, decides one, or closes a webhook or a difference
             --site S --payment UID --refund UID --as completed|declined --by NAME [--reason TEXT]
             --site S --charge UID --as completed|declined --by NAME [--number N] [--reason TEXT]
             --site S --receipt UID --as registered|failed --by NAME [--fn N --fd N --fpd N] [--reason TEXT]
             --bank B --webhook ID --by NAME --reason TEXT
             --site S --difference UID --by NAME --reason TEXT
             --yes             does not ask you to type the amount
  replay     reports again what was reported since a time, after the service was restored
             --from DATE

A DATE is a day in Moscow, 2026-11-20, or a time with its offset. docs/banks.md explains each command.`

const print = (line: string) => console.log(line)

/** The next line of the standard input; undefined at its end. */
async function typedLine(): Promise<string | undefined> {
  for await (const line of createInterface({ input: process.stdin })) return line
}

try {
  const { command, options } = readArguments(process.argv.slice(2))
  if (options.help) print(USAGE)
  else if (command === 'run') await run(options, print)
  else if (command === 'check') process.exitCode = await check(options, print)
  else if (command === 'reload') process.exitCode = await reload(options, print)
  else if (command === 'reconcile') process.exitCode = await reconcile(options, print)
  else if (command === 'settle') process.exitCode = await settle(options, print, typedLine)
  else if (command === 'replay') process.exitCode = await replay(options, print)
  else throw new Error(`${command} is not a command: see --help`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
