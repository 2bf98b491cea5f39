// Runs in every test file: what a file changes, the next file in the same workerd does not see.
import { reset } from 'cloudflare:test'
import { afterAll, vi } from 'vitest'

afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  await reset()
})
