// GET /readyz: whether a write reaches the disk, without detail.
import type { Handler } from 'hono'
import { ApiError } from '../errors.ts'
import type { Platform } from '../gateway/context.ts'
import { readiness } from '../gateway/ready.ts'
import type { AppEnv } from './app-env.ts'
import { json } from './response.ts'

/** @throws ApiError 503 */
export function ready(platform: Platform): Handler<AppEnv> {
  const isReady = readiness(platform)
  return async (c) => {
    if (await isReady()) return json(c, { status: 'ok' })
    throw new ApiError('service.unavailable', 'the storage cannot be written')
  }
}
