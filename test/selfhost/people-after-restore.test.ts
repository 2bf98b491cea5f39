// People after a restore: who was removed since the backup stays removed, and the operator is told who can sign in.
import { join as pathOf } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { registryFile } from '../../bin/data/data-directory.ts'
import { mintToken } from '../../bin/mint-token.ts'
import { AuditAnswer } from '../../src/contract/audit.ts'
import { PeopleAnswer } from '../../src/contract/people.ts'
import { requestOf } from '../support/client.ts'
import { succeeds } from '../support/command.ts'
import { SECRET } from '../support/secret.ts'
import { EXTERNAL, fileOf, type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'

const settings = EXTERNAL
let data: string
let backup: string
let restored: string
beforeEach(() => {
  const directory = temporaryDirectory()
  ;[data, backup, restored] = ['data', 'backup', 'restored'].map((name) => pathOf(directory, name)) as [
    string,
    string,
    string,
  ]
})

const add = async (served: Served, id: string, role: string) =>
  (await siteOf(served).ask('/people', { method: 'POST', body: { id, name: `N-${id}`, role } })).status
const remove = async (served: Served, id: string) =>
  (await siteOf(served).ask(`/people/${id}`, { method: 'DELETE' })).status
const peopleOf = async (served: Served) =>
  PeopleAnswer.parse(await siteOf(served).value('/people')).people.map(({ id, removedOn, passkeys }) => [
    ...[id, removedOn !== undefined, passkeys.length],
  ])

/** Gives people a passkey and a session each, while the service is stopped. */
function havingPasskeys(...ids: string[]): void {
  const database = new DatabaseSync(fileOf(data))
  for (const id of ids) {
    database
      .prepare(
        'INSERT INTO passkeys (id, person, public_key, counter, label, created_at) VALUES (?, ?, ?, 0, ?, 1)',
      )
      .run(`key-of-${id}`, id, 'secret-public-key', `Phone of ${id}`)
    database
      .prepare(
        'INSERT INTO person_sessions (id, person, passkey, started_at, used_at) VALUES (?, ?, ?, ?, ?)',
      )
      .run(`session-of-${id}`, id, `key-of-${id}`, ...[Date.now() / 1000, Date.now() / 1000].map(Math.floor))
  }
  database.close()
}

const rows = (file: string, query: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare(query).all()
  } finally {
    database.close()
  }
}

describe('after a restore', () => {
  it('a person who was removed since is removed again, sessions have ended, and the operator is told of the others', async () => {
    let served = await started(data, { settings })
    for (const [id, role] of Object.entries({ boris: 'owner', anna: 'owner', ivan: 'cashier' })) {
      expect(await add(served, id, role)).toBe(200)
    }
    await served.stop()
    havingPasskeys('boris', 'anna', 'ivan')
    succeeds('backup', '--data', data, '--to', backup)
    served = await started(data, { settings })
    expect(await remove(served, 'anna')).toBe(204)
    // The last owner stays: a refusal is no removal.
    expect(await remove(served, 'boris')).toBe(409)
    await served.stop()

    const said = succeeds('restore', '--from', backup, '--data', restored, '--before', data)
    expect(said).toContain('  demo: N-boris (owner): Phone of boris; N-ivan (cashier): Phone of ivan\n')
    expect(said).not.toContain('secret-public-key')
    expect(rows(fileOf(restored), 'SELECT id FROM person_sessions')).toEqual([])
    served = await started(restored, { settings })
    expect(await peopleOf(served)).toEqual([
      ['anna', true, 0],
      ['boris', false, 1],
      ['ivan', false, 1],
    ])
    await served.stop()
    expect(succeeds('verify', '--data', restored)).toContain('sites: 1, with problems: 0\n')
  })

  it('of a site whose only owner was removed since, and of whose next one the backup knows nothing, the operator is told', async () => {
    let served = await started(data, { settings })
    await add(served, 'anna', 'owner')
    await served.stop()
    havingPasskeys('anna')
    succeeds('backup', '--data', data, '--to', backup)
    served = await started(data, { settings })
    await add(served, 'boris', 'owner')
    await served.stop()
    havingPasskeys('boris')
    served = await started(data, { settings })
    expect(await remove(served, 'anna')).toBe(204)
    await served.stop()
    expect(succeeds('restore', '--from', backup, '--data', restored, '--before', data)).toContain(
      '  demo: nobody, invite somebody\n',
    )
  })

  it('a person who was added later with the id of one who was removed stays', async () => {
    let served = await started(data, { settings })
    await add(served, 'boris', 'owner')
    succeeds('backup', '--data', data, '--to', backup)
    await add(served, 'anna', 'cashier')
    expect(await remove(served, 'anna')).toBe(204)
    await served.stop()
    succeeds('restore', '--from', backup, '--data', restored, '--before', data)
    served = await started(restored, { settings })
    await add(served, 'anna', 'manager')
    await served.stop()
    const database = new DatabaseSync(fileOf(restored))
    // Later than the removal, also where the test is quick.
    database.exec("UPDATE people SET created_at = created_at + 60 WHERE id = 'anna'")
    database.close()
    const second = `${backup}-2`
    succeeds('backup', '--data', restored, '--to', second)
    succeeds('restore', '--from', second, '--data', `${restored}-2`, '--before', restored)
    served = await started(`${restored}-2`, { settings })
    expect(await peopleOf(served)).toEqual([
      ['boris', false, 0],
      ['anna', false, 0],
    ])
    await served.stop()
  })
})

describe('the audit of removals', () => {
  it('has one act for a removal, also where the request comes again, and none for a person who is not there', async () => {
    const served = await started(data, { settings })
    await add(served, 'anna', 'cashier')
    expect([
      await remove(served, 'anna'),
      await remove(served, 'anna'),
      await remove(served, 'nobody'),
    ]).toEqual([204, 204, 404])
    const token = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 })
    const page = await fetch(requestOf(`${served.address}/operator/v1/audit`, { token }))
    const { rows: acts } = AuditAnswer.parse(await page.json())
    expect(acts.map(({ act, siteId, details, result }) => [act, siteId, details, result])).toEqual([
      ['person.remove', 'demo', { personId: 'anna', person: 'N-anna' }, 'DONE'],
      ['person.remove', 'demo', { personId: 'anna', person: 'N-anna' }, 'STARTED'],
    ])
    await served.stop()
  })
})

it('a registry that is made anew knows the sites of user handles', async () => {
  const served = await started(data, { settings })
  await add(served, 'anna', 'owner')
  await served.stop()
  havingPasskeys('anna')
  const database = new DatabaseSync(registryFile(data))
  database.exec('DELETE FROM handles')
  database.close()
  succeeds('sites', 'rebuild', '--data', data)
  const [{ handle } = {}] = rows(fileOf(data), 'SELECT handle FROM people')
  expect(rows(registryFile(data), 'SELECT * FROM handles')).toEqual([{ handle, site_id: 'demo' }])
})
