// Pages of operator.
import type { Route } from './visit.ts'

export const OPERATOR_ROUTES: readonly Route[] = []
