// Finds the process that listens on a port of this machine, as Linux tells it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { orNothing } from '../data/site-list.ts'

/** A socket that listens, in /proc/net/tcp: `0A`. */
const LISTENS = '0A'

/** The process, as in `process 4711 (nginx)`; undefined where it is another user's, or the system does not tell. */
export function holderOf(port: number): string | undefined {
  const inodes = new Set(
    ['tcp', 'tcp6'].flatMap((table) =>
      (orNothing(() => readFileSync(`/proc/net/${table}`, 'utf8')) ?? '').split('\n').flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
        return state === LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port ? [inode] : []
      }),
    ),
  )
  const holds = (pid: string) =>
    (orNothing(() => readdirSync(`/proc/${pid}/fd`)) ?? []).some((fd) =>
      inodes.has(
        /^socket:\[(\d+)\]$/.exec(orNothing(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '')?.[1] ?? '-',
      ),
    )
  const pid = (orNothing(() => readdirSync('/proc')) ?? []).find((name) => /^\d+$/.test(name) && holds(name))
  const name = pid && orNothing(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
  return name ? `process ${pid} (${name})` : undefined
}
