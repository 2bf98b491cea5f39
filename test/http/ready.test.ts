import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { call, serviceWith, siteThat } from '../support/service.ts'

const ask = (service: Parameters<typeof call>[2]) =>
  call('/readyz', { token: null, headers: { Host: 'anything.example' } }, service)

describe('/readyz', () => {
  it('is 200 where an object can write, without a token and for any Host', async () => {
    const response = await ask(serviceWith({ settings: { ALLOWED_HOSTS: 'qr.example' } }))
    expect([response.status, await response.text()]).toEqual([200, '{"status":"ok"}'])
  })

  it('is 503 where the write fails, without detail', async () => {
    const response = await ask(
      serviceWith({
        site: () =>
          siteThat(async () => {
            throw new Error('database or disk is full: SQLITE_FULL')
          }),
      }),
    )
    expect([response.status, (await response.text()).includes('SQLITE')]).toEqual([503, false])
  })

  it('is 503 where the write takes more than 5 seconds', async () => {
    const slept: number[] = []
    const response = await ask(
      serviceWith({
        site: () => siteThat(() => new Promise(() => {})),
        sleep: async (milliseconds) => void slept.push(milliseconds),
      }),
    )
    expect([response.status, slept]).toEqual([503, [5000]])
  })

  it('writes once a second at most, however often it is asked, and in an object that is no site', async () => {
    const names: string[] = []
    let time = 1_000_000
    const service = serviceWith({
      now: () => time,
      site(name) {
        names.push(name)
        return env.SITES.getByName(name)
      },
    })
    for (let n = 0; n < 10; n++) expect((await ask(service)).status).toBe(200)
    expect(names).toEqual(['/readyz'])
    time += 1000
    await ask(service)
    // A clock that goes back does not stop the checks.
    time -= 3_600_000
    await ask(service)
    expect(names).toHaveLength(3)
  })

  it.each<[string, () => Promise<boolean>, number]>([
    ['200 while the instance holds its lease', async () => true, 200],
    ['503 while it does not', async () => false, 503],
    [
      '503 where its cluster port does not answer',
      async () => {
        throw new Error('connection refused')
      },
      503,
    ],
  ])('in a cluster it is %s, whatever becomes of objects', async (_, holdsLease, status) => {
    const site = () =>
      siteThat(async () => {
        throw new Error('the object lives in an instance that was killed')
      })
    expect((await ask(serviceWith({ holdsLease, site }))).status).toBe(status)
  })
})
