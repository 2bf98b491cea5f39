// The socket that systemd listens on for a service (a .socket unit): a restart refuses no connection, because the socket stays.

/** The first descriptor that systemd passes: sd_listen_fds(3). */
const FIRST = 3

/**
 * The descriptor of the socket; undefined where systemd passed none to this process.
 * @throws Error where there are several
 */
export function inheritedSocket(env: NodeJS.ProcessEnv, pid: number): number | undefined {
  if (env.LISTEN_PID !== `${pid}`) return undefined
  if (env.LISTEN_FDS !== '1') throw new Error(`LISTEN_FDS is ${env.LISTEN_FDS}, must be 1: one address`)
  return FIRST
}
