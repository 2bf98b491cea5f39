// `replay`: reports again what was reported since a time, after the service was restored from a backup.
import { deliver } from '../outbox/reporter.ts'
import { allowOnly, type Options, openCoreFor, type Print, required, timeOf } from './options.ts'

/** @returns the exit code: 1 where the service did not accept all of it */
export async function replay(options: Options, print: Print): Promise<number> {
  allowOnly('replay', options, ['from'])
  const from = timeOf('from', required(options, 'from', 'a date'))
  const core = openCoreFor(options)
  let reported = 0
  let failed = 0
  // In the order in which they were made, a refund needs its payment; bindings first, a charge is known by its own.
  const reports = core.disk.reports.since(from)
  const isBinding = ({ path }: { path: string }) => path.includes('/bindings/')
  for (const report of [...reports.filter(isBinding), ...reports.filter((each) => !isBinding(each))]) {
    const { isDone, status, text } = await deliver(core, report)
    if (isDone) reported++
    else {
      failed++
      print(`${report.path}: ${status} ${text}`)
    }
  }
  print(`${reported} reported, ${failed} not accepted`)
  return failed === 0 ? 0 : 1
}
