// Nothing secret of people leaves a service: no log, error, export, event or list has it.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { softAuthenticator } from '../support/authenticator.ts'
import { succeeds } from '../support/command.ts'
import { codeIn, optionsIn } from '../support/passkey-pages.ts'
import { personBrowser } from '../support/person-at.ts'
import { freePort } from '../support/ports.ts'
import { asOperator, siteOf, started, temporaryDirectory } from '../support/serve.ts'

it('no log, error, export, event or list has a public key, a challenge, an invitation or the cookie of a person', async () => {
  const data = join(temporaryDirectory(), 'data')
  const ports = [await freePort(), await freePort()] as const
  const origin = `http://localhost:${ports[0]}`
  const served = await started(data, { ports, settings: { PUBLIC_URL: origin } })
  const site = siteOf(served)
  const secrets: [what: string, value: string][] = []
  const said: [where: string, text: string][] = []
  /** @param own the code that the page's own address has */
  const say = async (where: string, response: Response, own = 'none') =>
    void said.push([
      where,
      `${(await response.text()).replaceAll(own, '')}${JSON.stringify([...response.headers])}`,
    ])
  /** An invitation and all that its code says. */
  const invited = (what: string, text: string): string => {
    const code = codeIn(text)
    expect(code).not.toBe('')
    const [, claims = '', mac = ''] = code.split('.')
    const { invitation } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    secrets.push([`the code of ${what}`, code], [`its signature`, mac], [`its id`, invitation])
    return code
  }
  const challengeOf = (page: string) => {
    const { challenge } = optionsIn(page)
    secrets.push(['a challenge', challenge])
  }

  const first = invited(
    'an owner',
    (await site.ask('/people', { body: { id: 'anna', name: 'Анна', role: 'owner' } })).text,
  )
  const anna = personBrowser(origin)
  challengeOf(await (await anna.invitation(first)).text())
  const authenticator = await softAuthenticator({ counts: true })
  secrets.push(['a public key', authenticator.publicKey])
  expect((await anna.join(first, authenticator)).status).toBe(303)
  // Used, replaced and wrong.
  await say('the page of a used invitation', await anna.join(first, await softAuthenticator()), first)
  const added = await (await anna.post('people', { id: 'ivan', name: 'Иван', role: 'manager' })).text()
  const replaced = invited('a manager', added)
  invited('the same again', await (await anna.post('people/ivan/invite')).text())
  await say('the page of a replaced invitation', await anna.invitation(replaced), replaced)
  await say('the page of a spoiled invitation', await anna.invitation(`${replaced}x`), `${replaced}x`)

  const visitor = personBrowser(origin)
  challengeOf(await (await visitor.signInPage()).text())
  expect((await visitor.signIn(authenticator)).status).toBe(303)
  const copied = await personBrowser(origin).signIn(authenticator, { counter: 1 })
  expect(copied.status).toBe(401)
  const refused = await personBrowser(origin).signIn(authenticator, {
    client: { origin: 'http://evil.example' },
  })
  expect(refused.status).toBe(401)
  for (const { cookies } of [anna, visitor])
    for (const [name, value] of cookies)
      if (name.startsWith('console-session'))
        secrets.push(
          [name, value],
          ...value
            .split('.')
            .filter((part) => part.length >= 32)
            .map((part): [string, string] => [`a part of ${name}`, part]),
        )

  for (const page of ['', 'me', 'people', 'people/anna', 'people/ivan', 'events', 'settings', 'keys'])
    await say(`the page ${page}`, await anna.get(page))
  for (const path of ['/people', '/events?limit=1000', '/people/none'])
    said.push([path, (await site.ask(path)).text])
  await say('the audit', await asOperator(served, '/audit'))
  await say('the export', await asOperator(served, '/sites/demo/export'))
  await say('the sites', await asOperator(served, '/sites'))
  await say('the metrics', await fetch(`${served.admin}/metrics`))
  await served.stop()
  said.push(['the log', served.output()], ['verify', succeeds('verify', '--data', data)])
  for (const where of ['the export', 'the log'])
    expect(said.find(([name]) => name === where)?.[1]).toContain(
      where === 'the export' ? 'Анна' : '/console/join',
    )

  const leaked = said.flatMap(([where, text]) =>
    secrets.flatMap(([what, value]) => (text.includes(value) ? [`${where} has ${what}`] : [])),
  )
  expect(secrets.length).toBeGreaterThan(10)
  expect(leaked).toEqual([])
})
