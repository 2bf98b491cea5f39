// What serves the deployment's requests: the service, or the refusal of a deployment with invalid settings.
import { createApp } from '../api/app.ts'
import { misconfigured } from '../api/misconfigured.ts'
import { EXAMPLE_BANK_MEMBER_ID } from '../config.ts'
import { logLine } from '../contract/log-line.ts'
import { platform, settings } from './deployment.ts'

const service = settings.ok
  ? createApp({ ...platform, config: settings.config })
  : misconfigured(platform, settings.problems)

let isNoticed = false

export const app = {
  fetch(request: Request): Response | Promise<Response> {
    // While the Worker starts there is no clock.
    if (!isNoticed) notice()
    isNoticed = true
    return service.fetch(request)
  },

  /** A CONNECT request: the service is no proxy. Without this handler the runtime logs an error and answers 500. */
  async connect(socket: Socket): Promise<void> {
    await socket.close()
  },
}

/** Says which settings are valid, but in production probably a mistake. */
function notice(): void {
  if (!settings.ok) return
  const { bankMemberId } = settings.config
  const { network, linkBaseUrl, takesLinks } = settings.config.network
  const log = (text: string) => platform.log(logLine(platform.now(), 'notice', text))
  if (network === 'sandbox') log('PAYMENT_NETWORK is sandbox: payments are made up, and no money moves')
  else if (!takesLinks && bankMemberId === EXAMPLE_BANK_MEMBER_ID) {
    log(`BANK_MEMBER_ID is ${bankMemberId}, an example: links name a bank that does not exist`)
  }
  if (network === 'sandbox') return
  if (!takesLinks && linkBaseUrl === undefined) {
    log('LINK_BASE_URL is not set: links lead to this service, and no bank can pay their QR codes')
  } else if (settings.config.banksUrl === undefined) {
    log('BANKS_URL is not set: the payer’s page has no list of banks, which npm run banks makes')
  }
}
