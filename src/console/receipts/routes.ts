// The pages of receipts (54-FZ): where they are and for whom. What they show is loaded when the first one is asked for.
import { ADMINS, READERS, type Route, type Visit, WRITERS } from '../visit.ts'
import { receiptPages } from './load.ts'

type Name = keyof Awaited<ReturnType<typeof receiptPages>>['routes']

const handle = (name: Name) => async (visit: Visit) => (await receiptPages()).routes[name](visit)

export const RECEIPTS: readonly Route[] = [
  { method: 'get', path: '/receipts', scopes: READERS, handle: handle('list') },
  { method: 'get', path: '/receipts.csv', scopes: READERS, handle: handle('file') },
  { method: 'get', path: '/receipts/settings', scopes: ADMINS, handle: handle('settings') },
  { method: 'post', path: '/receipts/settings', scopes: ADMINS, handle: handle('saveSettings') },
  { method: 'get', path: '/receipts/:id/retry', scopes: WRITERS, handle: handle('retryForm') },
  { method: 'post', path: '/receipts/:id/retry', scopes: WRITERS, handle: handle('retry') },
  { method: 'get', path: '/payments/:id/receipt', scopes: WRITERS, handle: handle('makeForm') },
  { method: 'post', path: '/payments/:id/receipt', scopes: WRITERS, handle: handle('make') },
  { method: 'get', path: '/payments/:id/closing', scopes: WRITERS, handle: handle('closingForm') },
  { method: 'post', path: '/payments/:id/closing', scopes: WRITERS, handle: handle('close') },
]
