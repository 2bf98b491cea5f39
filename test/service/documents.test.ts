// The commands of the README and of docs/story.md, in their order, in each shell, beside npm start.
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { FeedAnswer } from '../../src/contract/event.ts'
import { blocksOf, isRun, NOT_RUN } from '../support/documents.ts'
import { npmStarts, READY } from '../support/npm-start.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { openShell, SHELLS } from '../support/shell.ts'
import { siteAt } from '../support/site-at.ts'

const root = join(import.meta.dirname, '../..')
const DOCUMENTS = [
  ...['README.md', 'docs/story.md'],
  ...['en', 'ru'].flatMap((language) =>
    ['five-minutes', 'self-hosting'].map((guide) => `docs/guides/${language}/${guide}.md`),
  ),
]

const { start } = npmStarts()
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

/** A shell in a checkout in which npm start runs, and the blocks of a document with the addresses of this service. */
async function reader(document: string, name: string) {
  const service = await start()
  await service.writes(READY)
  const address = `http://127.0.0.1:${service.port}`
  const receiver = `${await freePort()}`
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-documents-'))
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }))
  // What the commands write is not in the real one.
  for (const part of ['package.json', 'node_modules', 'bin', 'examples'])
    symlinkSync(join(root, part), join(directory, part))
  const shell = openShell(name, directory, { TOKEN_SECRET: SECRET })
  cleanups.push(() => shell.close())
  const site = siteAt(() => address, SECRET, 'demo')

  /** Until the sandbox bank has carried out every refund and charge. */
  const settled = () =>
    expect
      .poll(async () => {
        const { events } = FeedAnswer.parse(await site.value('/events?limit=1000'))
        const open = new Set<string | undefined>()
        for (const { type, payment, refund } of events) {
          const id = refund?.refundUid ?? payment?.paymentUid
          if (type.endsWith('.waiting')) open.add(id)
          else open.delete(id)
        }
        return open.size
      })
      .toBe(0)

  return {
    shell,
    site,
    pay: (uid: string) => site.value(`/sandbox/v1/sites/demo/qrCodes/${uid}/payments`, { body: {} }),
    file: (path: string) => readFileSync(join(directory, path)),
    blocks: blocksOf(document)
      .filter(isRun)
      .map((block) =>
        block
          .replaceAll('http://127.0.0.1:8787', address)
          .replaceAll(/PORT=300\d/g, `PORT=${receiver}`)
          .replaceAll(/127\.0\.0\.1:300\d/g, `127.0.0.1:${receiver}`),
      ),
    /** @param meanwhile what a reader waits for with `sleep 1` */
    async run(block: string, meanwhile: () => Promise<unknown> = settled): Promise<string> {
      let printed = ''
      for (const [i, part] of block.split(/^sleep 1$/m).entries()) {
        if (i > 0) await meanwhile()
        printed += await shell.run(part)
      }
      return printed
    },
  }
}

it.each(NOT_RUN)('%j is in a document, and is not run', (begins) => {
  const blocks = DOCUMENTS.flatMap(blocksOf)
  expect(blocks.filter((block) => block.startsWith(begins)).length).toBeGreaterThan(0)
})

describe.each(SHELLS)('in %s', (name) => {
  it('the commands of the README do what it says', async () => {
    const { blocks, shell, site, pay, file, run } = await reader('README.md', name)
    const [create = '', save = '', wait = '', refund = '', bind = '', ...after] = blocks
    expect(await run(create)).toMatch(/"qrCodeUid":"order-1".*"status":"CREATED".*"value":"1\.00"/)
    await run(save)
    expect(file('order-1.png').subarray(1, 4).toString()).toBe('PNG')
    const waiting = run(wait)
    await pay('order-1')
    expect(await waiting).toContain('"status":"PAYED"')
    expect(await run(refund)).toMatch(/"refundUid":"refund-1".*"WAITING"/)
    expect(await run(bind)).toContain('"status":"ACCEPTED"')

    const [charge = '', till = '', settings = '', receiver = '', ...more] = after
    expect(more).toEqual([])
    expect(await run(charge)).toContain('"status":"INIT_PAYMENT_BY_TOKEN"')
    await expect.poll(async () => (await site.ask('/sbp/qrCodes/order-2')).text).toContain('"status":"PAYED"')
    expect(await run(till)).toMatch(/"type":"COUNTER"[\s\S]*"saleUid":"receipt-1".*"status":"ACTIVE"/)
    expect((await site.ask('/sbp/qrCodes/till-1/sales/receipt-1')).text).toContain('"status":"PAYED"')
    expect(await run(settings)).toContain('"name":"Tea shop"')
    shell.start(receiver)
    await shell.prints('listening')
    await site.create('another')
    await pay('another')
    await shell.prints('deliver another')
    shell.interrupt()
    await shell.run('wait')
  })

  it('the commands of docs/story.md do what their comments say', async () => {
    const { blocks, shell, file, run } = await reader('docs/story.md', name)
    const [prepare = '', create = '', read = '', pay = '', report = '', receive = '', ...after] = blocks
    await run(prepare)
    const created = await run(create)
    expect(created).toContain('Idempotent-Replayed: true')
    expect(created).toMatch(/"errorCode":"payin\.resource\.already\.exists".*"amount\.value"/)
    expect(created).toContain('ammount is unknown, did you mean amount')
    expect(await run(read)).toMatch(/ETag: .*[\s\S]*"qrCodes":\[/i)
    const paid = await run(pay)
    expect(paid).toMatch(/"status":"DECLINED"[\s\S]*"status":"PAYED"/)
    expect(paid).toContain('"applied":false,"notAppliedReason":"ALREADY_PAYED"')
    expect(await run(report)).toMatch(/"paymentId":"A6325171030000002"/)
    const received = await run(receive, () => shell.prints('deliver tea-4'))
    expect(received).toMatch(/a test[\s\S]*deliver tea-4/)
    expect(received).toContain('"httpStatus":204')

    const [refund = '', bind = '', printed = '', follow = '', cancel = '', ...more] = after
    expect(more).toEqual([])
    const refunded = await run(refund)
    expect(refunded).toMatch(/"WAITING"[\s\S]*"COMPLETED"[\s\S]*"refundedAmount"[\s\S]*"DECLINED"/)
    expect(refunded).toMatch(/"errorCode":"validation\.error".*0\.50/)
    const bound = await run(bind)
    expect(bound).toMatch(/"ACCEPTED"[\s\S]*"INIT_PAYMENT_BY_TOKEN"[\s\S]*"PAYED"[\s\S]*"DECLINED"/)
    expect(bound).toMatch(/HTTP\/1\.1 204 [\s\S]*"errorCode":"validation\.error"/)
    const sold = await run(printed)
    expect(sold).toMatch(/"50\.00"[\s\S]*"120\.50"[\s\S]*"149\.50"[\s\S]*"saleUid":\["receipt-1"\]/)
    expect(sold).toMatch(/"status":"PAYED"[\s\S]*"status":"CANCELLED"/)
    expect(file('till-1.html').toString()).toContain('<html lang="en"')
    expect(await run(follow)).toContain('"type":"qrCode.created"')
    expect(await run(cancel)).toContain('"status":"CANCELLED"')
    // The long polls in the background have ended.
    await run('wait')
  })
})
