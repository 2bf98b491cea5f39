// The objects of a bucket as bare databases: npm run cluster reads and writes them through the engine that made them. The
// build copies this file into the distribution.
import { DurableObject } from 'cloudflare:workers'

/** A minute: an alarm that is due stays, for the service to answer. */
const LATER_MS = 60_000

class Bare extends DurableObject {
  /** The engine has the whole database on its disk when this is answered. */
  open() {
    this.ctx.storage.sql.exec('SELECT 1').toArray()
  }

  /** Runs statements in one transaction, each once for each of its rows. */
  run(statements) {
    const { sql } = this.ctx.storage
    this.ctx.storage.transactionSync(() => {
      for (const { text, rows } of statements) for (const row of rows) sql.exec(text, ...row.map(columnOf))
    })
  }

  async wakeAt(milliseconds) {
    await this.ctx.storage.setAlarm(milliseconds)
  }

  async alarm() {
    await this.ctx.storage.setAlarm(Date.now() + LATER_MS)
  }
}

/** JSON has no bytes. */
const columnOf = (value) => (value?.base64 === undefined ? value : Uint8Array.fromBase64(value.base64).buffer)

export class Site extends Bare {}
export class Registry extends Bare {}
export class Audit extends Bare {}

export default {
  async fetch(request, env) {
    const [, id] = new URL(request.url).pathname.split('/')
    // The id tells the class: another one refuses it.
    for (const [folder, namespace] of Object.entries(env)) {
      let object
      try {
        object = namespace.get(namespace.idFromString(id))
      } catch {
        continue
      }
      if (request.method === 'POST') {
        const { statements, wakeAt } = await request.json()
        await object.run(statements)
        if (wakeAt !== undefined) await object.wakeAt(wakeAt)
      } else await object.open()
      return Response.json({ folder })
    }
    return new Response('no object of the service has this id', { status: 404 })
  },
}
