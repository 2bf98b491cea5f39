// Puts the module among its own packages: the pages of the admin import it by its name.
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

export function linkModule(): void {
  const module = join(import.meta.dirname, '..')
  const link = join(module, 'node_modules/@fps-qr/medusa')
  if (!existsSync(link)) symlinkSync(module, link)
}
