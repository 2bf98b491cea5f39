// The pages of settlement: where they are and for whom. What they show is loaded when the first one is asked for.
import { ACCOUNTANTS, READERS, type Route, type Visit } from '../visit.ts'
import { settlementPages } from './load.ts'

type Name = keyof Awaited<ReturnType<typeof settlementPages>>['routes']

const handle = (name: Name) => async (visit: Visit) => (await settlementPages()).routes[name](visit)

export const SETTLEMENT: readonly Route[] = [
  { method: 'get', path: '/settlement', scopes: READERS, handle: handle('month') },
  { method: 'get', path: '/settlement.csv', scopes: READERS, handle: handle('csv') },
  { method: 'get', path: '/settlement.xlsx', scopes: READERS, handle: handle('xlsx') },
  { method: 'get', path: '/settlement/upload', scopes: ACCOUNTANTS, handle: handle('uploadForm') },
  {
    method: 'post',
    path: '/settlement/upload',
    scopes: ACCOUNTANTS,
    hasFile: true,
    handle: handle('upload'),
  },
  { method: 'get', path: '/settlement/files', scopes: READERS, handle: handle('files') },
  { method: 'get', path: '/settlement/files/:id', scopes: READERS, handle: handle('file') },
  { method: 'get', path: '/settlement/files/:id/delete', scopes: ACCOUNTANTS, handle: handle('removal') },
  { method: 'post', path: '/settlement/files/:id/delete', scopes: ACCOUNTANTS, handle: handle('remove') },
]
