// The commands of the documentation that read the log, as they stand there, on the log of a service.
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { FeedAnswer } from '../../src/contract/event.ts'
import { requires } from '../support/requires.ts'
import { EXTERNAL, fileOf, siteOf, started, temporaryDirectory, workerdOf } from '../support/serve.ts'

const hasJq = spawnSync('jq', ['--version']).status === 0

/** The commands that begin with `fps_log`, in blocks and within lines. */
const commandsIn = (file: string): string[] =>
  Array.from(
    readFileSync(file, 'utf8').matchAll(/^ *(fps_log (?:.*\|\n)*.*)$|`(fps_log [^`]+)`/gm),
    ([, block, inline]) => block ?? inline ?? '',
  )
const COMMANDS = ['docs/operations.md', 'docs/runbook.md'].flatMap(commandsIn)

/** What each line that a command prints looks like, by a part of the command. */
const PRINTS: Record<string, RegExp> = {
  '.traceId ==': /^\{.*"traceId":"[0-9a-f]{16}".*"status":404/,
  '.status >= 400':
    /^\S+Z\t(404\tpayin\.resource\.not\.found|503\tnetwork\.unavailable)\t\/payin\/\S+\t[0-9a-f]{16}$/,
  '.status >= 500':
    /^ *\d+ (lost\t\/\S+\t500\tinternal\.error|corrupted\t\/\S+\t503\tservice\.unavailable|demo\t\/\S+\t503\tnetwork\.unavailable)$/,
  '"demo" and .message': /^\{.*"a notification was not delivered","site":"demo"/,
  '.keyId ==': /^\{.*"site":"demo","keyId":"[0-9a-f-]{36}".*"status":\d{3}/,
  '.keyId': /^ *\d+ [0-9a-f-]{36}\t\/\S+\t\d{3}$/,
  '.status == 500': /^\{.*"site":"lost".*"status":500.*"fault":"/,
  '.status == 503': /^ *\d+ corrupted$/,
  '.ms > 1000': /^ *\d+ \/\S+$/,
  'the connector gave no link': /^ *\d+ demo\t\S/,
  '"an instruction was': /^demo\t[0-9a-f]+-\d+\trefund\.create\tno connection$/,
  'select(.message': /^\{.*"a notification was not delivered","site":"demo"/,
  '.level == "error"': /^\{.*"level":"error"/,
  '.site // empty': /^ *\d+ (demo|lost|corrupted)$/,
}

/** The log of a service in which what the commands look for has happened, a trace id of a request, and a key of an event. */
async function eventfulLog() {
  const data = join(temporaryDirectory(), 'data')
  const before = await started(data)
  for (const siteId of ['demo', 'lost', 'corrupted']) await siteOf(before, siteId).create('a')
  await before.stop()
  const lost = new DatabaseSync(fileOf(data, 'lost'))
  lost.exec('ALTER TABLE qr_codes RENAME TO gone')
  lost.close()
  for (const end of ['-wal', '-shm']) rmSync(fileOf(data, 'corrupted') + end, { force: true })
  writeFileSync(fileOf(data, 'corrupted'), Buffer.alloc(65_536, 'x'))

  const served = await started(data, { settings: EXTERNAL })
  const demo = siteOf(served)
  await demo.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://no-such-host.invalid/' } })
  await demo.ask('/settings/notificationKeys', { method: 'POST' })
  await demo.pay('b')
  expect((await demo.refund('pay-b', 'r', 1)).status).toBe(200)
  const missing = await demo.ask('/sbp/qrCodes/none')
  await demo.ask('/sbp/qrCodes/a', { headers: { Prefer: 'wait=2' } })
  const { events } = FeedAnswer.parse(await demo.value('/events'))
  expect((await siteOf(served, 'lost').ask('/sbp/qrCodes')).status).toBe(500)
  expect((await siteOf(served, 'corrupted').ask('/sbp/qrCodes')).status).toBe(503)
  await expect.poll(() => served.output()).toContain('a notification was not delivered')
  await expect.poll(() => served.output()).toContain('an instruction was not delivered')
  process.kill(workerdOf(data), 'SIGKILL')
  await expect.poll(() => served.output()).toContain('workerd ended')
  await served.ready()
  await served.stop()
  const linked = await started(data, { settings: { ...EXTERNAL, LINKS: 'connector' } })
  const body = { qrCodeUid: 'c', qrCode: { type: 'DYNAMIC' }, amount: { value: 1 } }
  expect((await siteOf(linked).ask('/sbp/qrCodes', { body })).status).toBe(503)
  await linked.stop()
  const journal = `Started fps-qr.service.\n${before.output()}${served.output()}${linked.output()}`
  return { journal, traceId: missing.headers.get('X-Trace-Id') ?? '', keyId: events[0]?.by.keyId ?? '' }
}

describe.runIf(requires('jq', hasJq))('the log', () => {
  it('is read by every command of the documentation: it prints what it is for, and nothing else', async () => {
    const { journal, traceId, keyId } = await eventfulLog()
    const file = join(temporaryDirectory(), 'journal')
    writeFileSync(file, journal)
    for (const command of COMMANDS) {
      const asked = command
        .replace('d6e76cdaaefb5dc7', traceId)
        .replace('f1ee45ec-293d-4024-85cf-fa9c1b152cae', keyId)
      const script = `set -e; fps_log() { grep '^{' '${file}'; }\n${asked}`
      const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
      const [, line] = Object.entries(PRINTS).find(([part]) => command.includes(part)) ?? []
      expect([command, stderr, line]).toEqual([command, '', expect.any(RegExp)])
      const lines = stdout.trimEnd().split('\n')
      expect([command, lines.filter((each) => !line?.test(each))]).toEqual([command, []])
    }
  })
})

it('every such command is found', () => expect(COMMANDS).toHaveLength(14))
