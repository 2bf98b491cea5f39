// A Debian package of a release: the same files in /opt/fps-qr, its units, and the users.
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from './runtimes.ts'

const ARCHITECTURES: Record<Platform, string> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' }

interface Package {
  version: string
  platform: Platform
  /** The modification time of all files, in Unix seconds. */
  time: string
}

/** The name of the package's file. */
export const debianName = ({ version, platform }: Omit<Package, 'time'>): string =>
  `fps-qr_${version}_${ARCHITECTURES[platform]}.deb`

/**
 * Writes the package.
 * @param release the directory of the release, with all of its files
 * @param work an empty directory on the same disk
 * @param file of the package
 * @throws Error of dpkg-deb, also where it is missing
 */
export function makeDebian(
  release: string,
  work: string,
  file: string,
  { version, platform, time }: Package,
): void {
  const units = join(work, 'usr/lib/systemd/system')
  for (const directory of ['opt', 'usr/bin', 'usr/lib/systemd/system', 'DEBIAN'])
    mkdirSync(join(work, directory), { recursive: true })
  cpSync(release, join(work, 'opt/fps-qr'), { recursive: true })
  symlinkSync('/opt/fps-qr/fps-qr', join(work, 'usr/bin/fps-qr'))
  const deploy = join(release, 'deploy')
  for (const name of readdirSync(deploy).filter((each) => /\.(service|socket|timer)$/.test(each)))
    copyFileSync(join(deploy, name), join(units, name))
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm'])
    copyFileSync(join(deploy, 'debian', name), join(work, 'DEBIAN', name))
  writeFileSync(
    join(work, 'DEBIAN/control'),
    `Package: fps-qr
Version: ${version}
Architecture: ${ARCHITECTURES[platform]}
Maintainer: the operator <root@localhost>
Depends: ca-certificates, libc6 (>= 2.35), passwd, util-linux
Recommends: sqlite3
Suggests: age, nginx, certbot, prometheus
Section: net
Priority: optional
Description: payment QR codes for a faster payment system
 The service, the connector to banks, and all that they need to run. The data is in /var/lib/fps-qr.
`,
  )
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', work])
  execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zgzip', '-z6', work, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: time },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
