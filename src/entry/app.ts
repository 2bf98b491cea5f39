// What serves the deployment's requests: the service, or the refusal of a deployment with invalid settings.
import { createApp } from '../api/app.ts'
import { misconfigured } from '../api/misconfigured.ts'
import { logLine } from '../contract/log-line.ts'
import { platform, settings } from './deployment.ts'

// These settings are valid, but in production probably a mistake.
if (settings.ok && settings.config.sandbox) {
  notice('PAYMENT_NETWORK is sandbox: payments are made up, and no money moves')
} else if (settings.ok && !settings.config.takesLinks && settings.config.linkBaseUrl === undefined) {
  notice('LINK_BASE_URL is not set: links lead to this service, and no bank can pay their QR codes')
}

export const app = settings.ok
  ? createApp({ ...platform, config: settings.config })
  : misconfigured(platform, settings.problems)

function notice(text: string): void {
  platform.log(logLine(platform.now(), 'notice', text))
}
