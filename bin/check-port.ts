// Checks that the service can listen on its address and port.
import { createServer } from 'node:net'

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program listens there; give a free port by --port',
  EADDRNOTAVAIL: 'it is not an address of this machine',
  EACCES: 'only an administrator can listen there; give a port from 1024 by --port',
}

/**
 * Listens, and closes at once. Without this check, another program could answer the first request.
 * @throws Error naming the address and the reason
 */
export function checkPort(port: number, ip: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : ''
      reject(new Error(`cannot listen on ${ip}:${port}: ${REASONS[code] ?? error.message}`))
    })
    probe.listen(port, ip === '*' ? undefined : ip, () => probe.close(() => resolve()))
  })
}
