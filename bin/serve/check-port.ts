// Checks that the service can listen on its address and port.
import { createServer } from 'node:net'
import { holderOf } from './port-holder.ts'

/** By the system's code, with the option that sets the port. */
const REASONS: Record<string, (option: string, port: number) => string> = {
  EADDRINUSE: (option, port) =>
    `${holderOf(port) ?? 'another program'} listens there; give a free port with ${option}`,
  EADDRNOTAVAIL: () => 'it is not an address of this machine',
  EACCES: (option) => `only an administrator can listen there; give a port from 1024 with ${option}`,
}

/**
 * Listens, and closes at once. Without this check, another program could answer the first request.
 * @param option the one that sets the port
 * @throws Error naming the address and the reason
 */
export function checkPort(port: number, ip: string, option: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error) => {
      const code = 'code' in error ? String(error.code) : ''
      reject(new Error(`cannot listen on ${ip}:${port}: ${REASONS[code]?.(option, port) ?? error.message}`))
    })
    probe.listen(port, ip === '*' ? undefined : ip, () => probe.close(() => resolve()))
  })
}
