// The Worker's entry: exports the request handler, the Durable Objects Site, Registry and Audit, and the entry points Courier and Admin.
import { app } from './entry/app.ts'

export { Audit } from './audit/audit.ts'
export { Admin } from './entry/admin.ts'
export { Courier } from './entry/courier.ts'
export { Site } from './entry/site.ts'
export { Registry } from './registry/registry.ts'

export default app
