// A fresh Debian 13 with systemd as its first process, in a container on this machine: mmdebstrap makes it, systemd-nspawn boots it.
import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { requires } from './requires.ts'

/** Whether this machine can have one. @throws Error as `requires` does */
export const hasDebianMachine = (): boolean =>
  requires('root', process.getuid?.() === 0) &&
  requires('mmdebstrap', spawnSync('mmdebstrap', ['--version']).status === 0) &&
  requires('systemd-nspawn', spawnSync('systemd-nspawn', ['--version']).status === 0)

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

export interface DebianMachine {
  /** Its `/` on this machine. */
  root: string
  /**
   * Runs lines as root in `/root`, as somebody who pastes them: each runs, the status is that of the first one that fails.
   * Its network is its own, with nothing but itself.
   */
  run(script: string): Promise<Ran>
  /** Runs lines with the network of this machine: those that install packages. */
  runOnline(script: string): Promise<Ran>
  /** Ends it, and removes it. */
  remove(): Promise<void>
}

/** Makes one and boots it. @throws Error where systemd does not come up */
export async function debianMachine(): Promise<DebianMachine> {
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-debian-'))
  const root = join(directory, 'root')
  const made = ['--quiet', '--variant=minbase', '--include=systemd-sysv', 'trixie', root, debianMirror()]
  const { status, stderr } = await finished(spawn('mmdebstrap', made, { stdio: ['ignore', 'pipe', 'pipe'] }))
  if (status !== 0) throw new Error(`mmdebstrap ended with status ${status}: ${stderr}`)
  // It is thrown away: nothing has to reach the disk.
  writeFileSync(join(root, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n')
  const group = `fps-qr-debian-${process.pid}`
  // In a control group of its own, below which systemd makes those of its units: that of this process is not its business.
  const hierarchies = controlGroups().map((each) => join(each, group))
  const enter = hierarchies.map((each) => `mkdir ${each}; echo $$ >${each}/cgroup.procs`).join('\n')
  const options = ['--register=no', '--keep-unit', '--private-network', '--resolv-conf=copy-host']
  const container = spawn(
    // It ends with this process, however that ends.
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', 'sh', '-euc', `${enter}\nexec "$@"`, 'sh', 'systemd-nspawn', ...options],
      ...['--quiet', '--console=pipe', `--machine=${group}`, `--directory=${root}`, '--boot'],
    ],
    // systemd of this release does not start on the older hierarchies of control groups.
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, UNIFIED_CGROUP_HIERARCHY: '1' } },
  )
  const ended = finished(container)
  let first: string | undefined
  const runWith = (network: string[], script: string) => {
    const enterIt = ['--target', first ?? '', '--mount', '--pid', '--uts', '--ipc', '--cgroup', ...network]
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    const environment = ['env', '-i', path, 'HOME=/root', 'LANG=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive']
    const bash = ['bash', '-eu', '-o', 'pipefail', '-c', script]
    const child = spawn('nsenter', [...enterIt, '--', ...environment, ...bash], {
      cwd: join(root, 'root'),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return finished(child)
  }
  const machine: DebianMachine = {
    root,
    run: (script) => runWith(['--net'], `cd\n${script}`),
    runOnline: (script) => runWith([], `cd\n${script}`),
    async remove() {
      // The first process of a namespace of processes: the others end with it.
      if (first !== undefined && container.exitCode === null) process.kill(Number(first), 'SIGKILL')
      else container.kill('SIGKILL')
      await ended
      for (const each of hierarchies)
        if (existsSync(each))
          execFileSync('find', [each, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', '+'])
      for (const each of [directory, join('/run/systemd/nspawn/propagate', group)])
        rmSync(each, { recursive: true, force: true })
    },
  }
  const isAlive = () => container.exitCode === null && container.signalCode === null
  while (isAlive() && first === undefined) {
    await sleep(100)
    first = systemdOf(container)
  }
  const state = isAlive() ? await machine.run('systemctl is-system-running --wait') : undefined
  if (state?.stdout !== 'running\n') {
    await machine.remove()
    const { stdout, stderr } = await ended
    throw new Error(`systemd is ${state?.stdout ?? 'not up'}: ${state?.stderr ?? ''}${stdout}${stderr}`)
  }
  // The documents' name "leads to this machine already".
  appendFileSync(join(root, 'etc/hosts'), '127.0.0.1 qr.acquirer.example\n')
  return machine
}

/** The mirror from which this machine has its own packages. @throws Error where it has none of Debian */
function debianMirror(): string {
  const format = ['--format', '$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian', 'Component: main']
  const [mirror] = execFileSync('apt-get', ['indextargets', ...format], { encoding: 'utf8' }).split('\n')
  if (!mirror) throw new Error('apt has no mirror of Debian here, or was not updated')
  return mirror
}

/** Where the unified hierarchy of control groups is, and that of systemd beside it on an older machine. */
const controlGroups = (): string[] =>
  execFileSync('findmnt', ['--raw', '--noheadings', '--output', 'TARGET,FSTYPE,OPTIONS'], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((line) => / cgroup2 | cgroup .*\bname=systemd\b/.test(line))
    .map((line) => line.slice(0, line.indexOf(' ')))

async function finished(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ran> {
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close').then(([code]: (number | null)[]) => code ?? null),
  ])
  return { status, stdout, stderr }
}

/** The systemd that a process has started, once it takes commands. */
function systemdOf({ pid }: ChildProcess): string | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return children.find(
      (each) =>
        readFileSync(`/proc/${each}/comm`, 'utf8') === 'systemd\n' &&
        existsSync(`/proc/${each}/root/run/systemd/private`),
    )
  } catch {
    // One of them has ended meanwhile.
    return
  }
}
