// The connector's commands, one for each line of the standard input: a start of Node for each would take most of the time.
import { createInterface } from 'node:readline'
import * as z from 'zod'
import { readArguments } from '../../connector/commands/options.ts'
import { reconcile } from '../../connector/commands/reconcile.ts'
import { settle } from '../../connector/commands/settle.ts'

const COMMANDS = new Map(Object.entries({ reconcile, settle }))

for await (const line of createInterface({ input: process.stdin })) {
  const { command, options } = readArguments(z.array(z.string()).parse(JSON.parse(line)))
  const printed: string[] = []
  let status = 2
  try {
    const print = (each: string) => printed.push(each)
    status = (await COMMANDS.get(command)?.(options, print, async () => undefined)) ?? 2
  } catch (error) {
    printed.push(String(error))
  }
  console.log(JSON.stringify({ status, output: printed.map((each) => `${each}\n`).join('') }))
}
