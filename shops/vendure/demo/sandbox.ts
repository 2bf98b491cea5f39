// Connects the shop with the sandbox that `npm start` of this checkout runs: a token, the address for notifications, its key.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Connected, METHOD } from './seed'

/** The root of the checkout, from `dist/demo`. */
const ROOT = join(__dirname, '../../../..')

/** @param origin of the shop */
export async function connectSandbox(baseUrl: string, siteId: string, origin: string): Promise<Connected> {
  const tokenOf = (scope: string) =>
    execFileSync('npm', ['run', '-s', 'token', '--', siteId, '--scope', scope, '--label', 'vendure'], {
      cwd: ROOT,
      encoding: 'utf8',
    }).trim()
  const headers = { Authorization: `Bearer ${tokenOf('merchant:admin')}`, 'Content-Type': 'application/json' }
  const ask = async (method: string, path: string, body: object) => {
    const url = `${baseUrl}/payin/v1/sites/${encodeURIComponent(siteId)}/settings${path}`
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) }).catch((cause) => {
      throw new Error(`${baseUrl} does not answer: run npm start in the root of the checkout`, { cause })
    })
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
    const answer: unknown = await response.json()
    return answer
  }
  await ask('PATCH', '', { name: 'Vendure', callbackUrl: `${origin}/fps-qr/${METHOD}` })
  const made = await ask('POST', '/notificationKeys', {})
  if (typeof made !== 'object' || !made || !('key' in made)) throw new Error('the answer has no key')
  return { baseUrl, siteId, token: tokenOf('merchant'), notificationKey: String(made.key) }
}
