// Pages of keys.
import type { Route } from './visit.ts'

export const KEY_ROUTES: readonly Route[] = []
