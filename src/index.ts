// The Worker's entry: a table of contents.
import { app } from './entry/app.ts'

export { Admin } from './entry/admin.ts'
export { Courier } from './entry/courier.ts'
export { Registry } from './registry/registry.ts'
export { Site } from './site/site.ts'

export default app
