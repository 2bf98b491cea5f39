// Which build this is: of GET /version and of the metrics.
import { version } from '../../package.json'

// The bundler puts it here; a Worker that wrangler or a test bundles has none.
declare const FPS_QR_COMMIT: string | undefined

/** Whether a build of the project runs, and not its sources under wrangler or a test. */
export const isBundled = typeof FPS_QR_COMMIT !== 'undefined'

/** The version, and the commit of its sources: `unknown` where the bundler did not say it. */
export const build = { version, commit: typeof FPS_QR_COMMIT === 'undefined' ? 'unknown' : FPS_QR_COMMIT }
