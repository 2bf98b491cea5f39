// The commands of docs/self-hosting.md, word by word, in a fresh Debian 13 whose first process is systemd: from the archive and from
// the package, with backup, restore, upgrade and removal.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type DebianMachine, debianMachine, hasDebianMachine } from '../support/debian-machine.ts'
import { blocksOf } from '../support/documents.ts'
import { hasDpkg, hasMinisign, nameOf, releaseOfTree, VERSION } from '../support/release.ts'

const MINUTES = 60_000
const PLATFORM = `linux-${process.arch}`
const ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch

/** The one block of a document that has a text, for this machine's architecture. */
function block(document: string, text: string): string {
  const found = blocksOf(`docs/${document}.md`).filter((each) => each.includes(text))
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${document} have ${text}`)
  return found.join('').replaceAll('linux-x64', PLATFORM).replaceAll('amd64', ARCHITECTURE)
}

/** No authority of certificates can be reached. This asks for a challenge as one does, and writes a certificate of its own. */
const CERTBOT = `#!/bin/sh
set -eu
while [ $# -gt 0 ]; do
  case $1 in
    --webroot-path) webroot=$2; shift ;;
    -d) domain=$2; shift ;;
    --deploy-hook) hook=$2; shift ;;
  esac
  shift
done
mkdir -p "$webroot/.well-known/acme-challenge"
echo answer >"$webroot/.well-known/acme-challenge/name"
test "$(curl -fsS "http://$domain/.well-known/acme-challenge/name")" = answer
live=/etc/letsencrypt/live/$domain
mkdir -p "$live"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$domain" \\
  -addext "subjectAltName=DNS:$domain" -keyout "$live/privkey.pem" -out "$live/fullchain.pem" 2>/dev/null
cp "$live/fullchain.pem" /usr/local/share/ca-certificates/authority.crt
update-ca-certificates >/dev/null 2>&1
sh -c "$hook"
`
/** What a person does in the editor. */
const EDITOR = `#!/bin/sh
exec sed -i 's/^BANK_MEMBER_ID=$/&100000000111/' "$1"
`
const CODES = 'https://qr.acquirer.example/payin/v1/sites'
/** Where the operator does not say when the service answers, it is waited for. */
const CURL = 'curl -sS --retry 30 --retry-connrefused'

/** A line of test/support/machine-load.ts. */
const Answer = z.object({ kind: z.string(), from: z.number(), to: z.number() })

describe.runIf(hasDebianMachine() && hasDpkg && hasMinisign)('in a fresh Debian 13', () => {
  let debian: DebianMachine
  beforeAll(async () => {
    const { directory, publicKey } = releaseOfTree()
    debian = await debianMachine()
    const home = join(debian.root, 'root')
    const deb = `fps-qr_${VERSION}_${ARCHITECTURE}.deb`
    for (const name of [`${nameOf(PLATFORM)}.tar.gz`, deb, 'SHA256SUMS', 'SHA256SUMS.minisig'])
      copyFileSync(join(directory, name), join(home, name))
    copyFileSync(publicKey, join(home, 'release.pub'))
    copyFileSync('test/support/machine-load.ts', join(home, 'load.ts'))
    mkdirSync(join(debian.root, 'usr/local/sbin'), { recursive: true })
    // They stand before the real ones.
    for (const [name, text] of Object.entries({ certbot: CERTBOT, editor: EDITOR })) {
      const file = join(debian.root, 'usr/local/sbin', name)
      writeFileSync(file, text)
      chmodSync(file, 0o755)
    }
  }, 30 * MINUTES)
  afterAll(() => debian?.remove(), 5 * MINUTES)

  /** Runs lines, and wants the status 0. @returns what they wrote to standard output */
  async function run(script: string, how: 'run' | 'runOnline' = 'run'): Promise<string> {
    const { status, stdout, stderr } = await debian[how](script)
    expect([status, status === 0 ? '' : `${script}\n${stdout}\n${stderr}`]).toEqual([0, ''])
    return stdout
  }
  const token = (siteId: string) =>
    run(`fps-qr token ${siteId} --env-file /etc/fps-qr/settings`).then((text) => text.trim())
  /** The answer to a request with a merchant's token, by TLS. */
  const ask = async (siteId: string, below: string, options = '') =>
    JSON.parse(
      await run(
        `${CURL} -H 'Authorization: Bearer ${await token(siteId)}' ${options} ${CODES}/${siteId}/sbp/qrCodes${below}`,
      ),
    )
  const create = (siteId: string, qrCodeUid: string) => {
    const body = JSON.stringify({ qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: { value: '10.00' } })
    return ask(siteId, '', `-H 'Content-Type: application/json' -d '${body}'`)
  }
  /** The first process of the service. */
  const mainProcess = () => run('systemctl show --property MainPID --value fps-qr')
  const failedUnits = () => run('systemctl --failed --plain --no-legend')

  /**
   * Restarts the service while connections create QR codes and read them through nginx.
   * Wants each request answered with 200, before, during and after each restart, and each acknowledged QR code there.
   */
  async function underLoad(...restarts: (() => Promise<void>)[]): Promise<void> {
    await run(`rm -f /root/answers
      systemd-run --quiet --unit load --property Type=exec --property TimeoutStopSec=infinity --property StandardOutput=truncate:/root/answers \
      --setenv NODE_EXTRA_CA_CERTS=/etc/letsencrypt/live/qr.acquirer.example/fullchain.pem --setenv TOKEN=${await token('tea')} \
      /opt/fps-qr/runtime/node /root/load.ts`)
    const answers = () =>
      readFileSync(join(debian.root, 'root/answers'), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => Answer.parse(JSON.parse(line)))
    const sent = (start: number, end = Number.POSITIVE_INFINITY) =>
      answers().filter(({ from }) => from >= start && from < end).length
    const stopped = async () =>
      Number(await run('systemctl show --property ActiveExitTimestampMonotonic --value fps-qr'))
    const listening = async () => {
      const last = `journalctl --unit fps-qr --grep '"message":"listening"' --lines 1 --output short-monotonic`
      return 1e6 * Number((await run(`journalctl --sync; ${last}`)).match(/^\[ *([\d.]+)\]/)?.[1])
    }
    const waiting = { timeout: 2 * MINUTES }
    const pauses: [stop: number, start: number][] = []
    try {
      await expect.poll(() => sent(0), waiting).toBeGreaterThan(0)
      for (const restart of restarts) {
        const before = await mainProcess()
        await restart()
        expect(await mainProcess()).not.toBe(before)
        const stop = await stopped()
        await expect.poll(listening, waiting).toBeGreaterThan(stop)
        const start = await listening()
        await expect.poll(() => sent(start), waiting).toBeGreaterThan(0)
        pauses.push([stop, start])
      }
    } finally {
      // It has ended already where it failed.
      await run('systemctl stop load || true')
    }
    const byKind = Object.entries(Object.groupBy(answers(), ({ kind }) => kind))
    const counts = Object.fromEntries(byKind.map(([kind, all = []]) => [kind, all.length]))
    const meanwhile = pauses.map(([stop, start]) => sent(stop, start))
    const longestMs = Math.round(Math.max(...answers().map(({ from, to }) => to - from)) / 1000)
    console.log(
      `${JSON.stringify(counts)}; sent during a restart: ${meanwhile.join(', ')}; the longest took ${longestMs} ms`,
    )
    expect(Math.min(...meanwhile)).toBeGreaterThan(0)
    const made = counts['create 200']
    expect(counts).toEqual({ 'create 200': made, 'read 200': made, 'find 200': made })
    expect(await failedUnits()).toBe('')
    expect(
      await run(`systemctl stop fps-qr.socket fps-qr
        runuser -u fps-qr -- fps-qr verify --data /var/lib/fps-qr
        systemctl start fps-qr`),
    ).toMatch(/with problems: 0\n$/)
  }

  it(
    'the commands of the installation, in their order, end with a service that is ready behind TLS',
    async () => {
      await run(block('self-hosting', 'apt-get install -y age certbot'), 'runOnline')
      expect(await run(block('self-hosting', 'sha256sum --check'))).toContain(
        `${nameOf(PLATFORM)}.tar.gz: OK\n`,
      )
      await run(block('self-hosting', 'certbot certonly'))
      expect(await run(block('self-hosting', 'systemctl enable --now fps-qr fps-qr-backup.timer'))).toBe(
        '{"status":"ok"}',
      )
      for (const siteId of ['tea', 'demo'])
        expect(await create(siteId, 'first')).toMatchObject({ qrCode: { status: 'CREATED' } })
      expect(await failedUnits()).toBe('')
      // As the user of its unit, with the settings that only root can read.
      expect(await run('stat -c %U "/proc/$(systemctl show --property MainPID --value fps-qr)"')).toBe(
        'fps-qr\n',
      )
      expect(await run('stat -c %U:%a /etc/fps-qr /etc/fps-qr/settings')).toMatch(/^root:700\nroot:6\d\d\n$/)
    },
    15 * MINUTES,
  )

  it(
    'its daily backup is made, checked, and given to the command of the operator',
    async () => {
      await run(`printf '#!/bin/sh\\nls "$1"/backup.json >/root/sent\\n' >/etc/fps-qr/after-backup
        chmod 755 /etc/fps-qr/after-backup
        systemctl start fps-qr-backup`)
      expect(await run('cat sent')).toMatch(/^\/var\/backups\/fps-qr\/2\d{3}-[\dTZ-]+\/backup\.json\n$/)
      expect(await run('journalctl --sync; journalctl --unit fps-qr-backup --output cat')).toContain(
        'sites: 2, with problems: 0\n',
      )
    },
    5 * MINUTES,
  )

  it(
    'the commands of the restore bring it back, delete again what was deleted, and allow refunds',
    async () => {
      const operator = `-H "Authorization: Bearer $(fps-qr token '*' --scope operator --env-file /etc/fps-qr/settings)"`
      await run(`${CURL} -f -X DELETE ${operator} -H 'Content-Type: application/json' -d '{"siteId":"demo","force":true}' \
        http://127.0.0.1:8080/operator/v1/sites/demo`)
      await create('tea', 'after-the-backup')
      // The name in the document is that of a backup.
      await run('ln -s latest /var/backups/fps-qr/2026-11-21T030412Z')
      expect(await run(block('self-hosting', '--before /var/lib/fps-qr'))).toMatch(
        /sites: 2, with problems: 0\n$/,
      )
      const lists = await run(block('self-hosting', "grep -P '\\tdeleted by the operator'"))
      expect(lists).toMatch(/^demo\t.*deleted by the operator/)
      expect(await run(block('self-hosting', 'mv /var/lib/fps-qr /var/lib/fps-qr-before-restore'))).toBe(
        '{"status":"ok"}',
      )
      expect(await run(block('self-hosting', '"force":true'))).toMatch(/202\n$/)
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
      expect(await ask('tea', '/after-the-backup')).toMatchObject({ errorCode: 'payin.resource.not.found' })
      const resume = block('self-hosting', 'operator/v1/sites/demo/resume').replace('sites/demo', 'sites/tea')
      expect(JSON.parse(await run(resume))).toMatchObject({ siteId: 'tea' })
      expect(await run('fps-qr sites list --data /var/lib/fps-qr')).toMatch(/^tea\t/m)
      await run(`systemctl stop fps-qr.socket fps-qr
        runuser -u fps-qr -- fps-qr verify --data /var/lib/fps-qr
        runuser -u fps-qr -- fps-qr resume --data /var/lib/fps-qr
        systemctl start fps-qr`)
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
    },
    5 * MINUTES,
  )

  it(
    'the commands of banks.md start the connector as its own user, and its check names the bank that gives no answer',
    async () => {
      // The steps before, with a bank that does not answer.
      await run(`secret="whsec_$(openssl rand -base64 32)"
        printf "NETWORK_SECRET='%s'\\nTEA_TOKEN='%s'\\nTBANK_PASSWORD='password'\\n" "$secret" \
          "$(fps-qr token tea --scope network --env-file /etc/fps-qr/settings)" >connector.env
        printf '%s\\n' NETWORK_URL=http://127.0.0.1:3001/instructions "NETWORK_SECRET=$secret" >>/etc/fps-qr/settings`)
      const bank = {
        bank: 'tbank',
        terminalKey: 'key',
        password: { env: 'TBANK_PASSWORD' },
        baseUrl: 'http://127.0.0.1:3999',
      }
      const config = {
        service: 'http://127.0.0.1:8080',
        publicUrl: 'https://qr.acquirer.example/connector',
        networkSecret: { env: 'NETWORK_SECRET' },
        banks: { 'tbank-cafe': bank },
        sites: { tea: { token: { env: 'TEA_TOKEN' }, bank: 'tbank-cafe' } },
      }
      writeFileSync(join(debian.root, 'root/connector.json'), JSON.stringify(config))
      await run(block('banks', 'useradd --system --home-dir /var/lib/fps-connector'))
      await run('systemctl restart fps-qr')
      await run(`${CURL} -f http://127.0.0.1:9190/readyz`)
      expect(await run(`${CURL} -f http://127.0.0.1:3001/metrics`)).toContain('fps_connector_')
      expect(await run('stat -c %U "/proc/$(systemctl show --property MainPID --value fps-connector)"')).toBe(
        'fps-connector\n',
      )
      const check = block('banks', 'fps-qr check --config /etc/fps-connector/connector.json')
      const { status, stdout } = await debian.run(
        check.replace('npm run -s connector -- check', 'fps-qr check'),
      )
      expect([status, stdout]).toEqual([1, expect.stringMatching(/^FAIL tbank-cafe: /m)])
      expect(stdout).toContain('ok   tea: the service takes the token; its bank is tbank-cafe\n')
      await run('systemctl reload fps-connector')
      expect(await failedUnits()).toBe('')
      // The creates of the next tests have no bank to wait for.
      await run(`sed -i '/^NETWORK_/d' /etc/fps-qr/settings
        systemctl restart fps-qr`)
    },
    5 * MINUTES,
  )

  it(
    'the commands of the upgrade put a later archive in the place of this one, and back, and lose no request',
    async () => {
      const name = nameOf(PLATFORM).replace(VERSION, '0.4.0')
      await run(`cp -a /opt/${nameOf(PLATFORM)} ${name}
        sed -i 's/${VERSION}/0.4.0/' ${name}/VERSION
        tar -I 'gzip -1' -cf ${name}.tar.gz ${name}
        rm -r ${name}`)
      const install = (version: string) => async () => {
        await run(block('self-hosting', 'ln -sfnT').replaceAll('0.4.0', version))
        expect(await run('fps-qr --version')).toMatch(`fps-qr ${version} `)
      }
      await underLoad(install('0.4.0'), install(VERSION))
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
    },
    10 * MINUTES,
  )

  it(
    'a socket without DeferAcceptSec loses a connection that has sent nothing at a restart; the commands that renew it end that',
    async () => {
      // What is asked last has an answer when workerd has accepted the silent connection.
      const ready = 'curl -sS -o /dev/null http://127.0.0.1:8080/readyz'
      const answer = () =>
        run(`bash -c '${ready}
          exec 3<>/dev/tcp/127.0.0.1/8080
          ${ready}
          systemctl restart fps-qr
          printf "GET /healthz HTTP/1.1\\r\\nHost: qr.acquirer.example\\r\\nConnection: close\\r\\n\\r\\n" >&3
          head -c 12 <&3' || true`)
      const renew = block('self-hosting', 'cp /opt/fps-qr/deploy/fps-qr.socket /etc')
      const reopen = renew.replace(/^cp .*\n/, '')
      await run(`sed -i /DeferAcceptSec/d /etc/systemd/system/fps-qr.socket\n${reopen}`)
      expect(await answer()).toBe('')
      await run(renew)
      expect(await answer()).toBe('HTTP/1.1 200')
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
    },
    5 * MINUTES,
  )

  it(
    'the commands of the way to the package keep settings and data, and its units start with the machine',
    async () => {
      await run(block('self-hosting', 'rm /opt/fps-qr /usr/local/bin/fps-qr'))
      expect(await run('fps-qr --version')).toMatch(`fps-qr ${VERSION} `)
      expect(await run('systemctl show --property FragmentPath --value fps-qr fps-connector')).toBe(
        '/usr/lib/systemd/system/fps-qr.service\n\n/usr/lib/systemd/system/fps-connector.service\n',
      )
      const started = await run('systemctl list-dependencies --plain multi-user.target')
      for (const unit of ['fps-qr.service', 'fps-qr.socket', 'fps-qr-backup.timer', 'fps-connector.service'])
        expect(started).toContain(`${unit}\n`)
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
      expect(await failedUnits()).toBe('')
    },
    5 * MINUTES,
  )

  it(
    'a later package restarts what runs, so does the way back, and both lose no request',
    async () => {
      await run(`dpkg-deb --raw-extract fps-qr_${VERSION}_${ARCHITECTURE}.deb next
        sed -i 's/^Version: .*/Version: 0.4.0/' next/DEBIAN/control
        sed -i 's/${VERSION}/0.4.0/' next/opt/fps-qr/VERSION
        dpkg-deb -Znone --root-owner-group --build next fps-qr_0.4.0_${ARCHITECTURE}.deb
        rm -r next`)
      const install = (command: string, version: string) => async () => {
        await run(block('self-hosting', command))
        expect(await run('fps-qr --version')).toMatch(`fps-qr ${version} `)
      }
      await underLoad(
        install('apt install ./fps-qr_0.4.0', '0.4.0'),
        install('apt install -y --allow-downgrades', VERSION),
      )
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
    },
    10 * MINUTES,
  )

  it(
    'a removal and a purge of the package stop what runs, and keep settings, data and backups',
    async () => {
      for (const how of ['remove', 'purge']) {
        await run(`apt-get ${how} -y fps-qr`)
        const { stdout } = await debian.run(
          'systemctl is-active fps-qr fps-qr.socket fps-connector fps-connector.socket',
        )
        expect(stdout).toBe('inactive\n'.repeat(4))
        await run(`test ! -e /opt/fps-qr
          test -s /etc/fps-qr/settings
          test -s /etc/fps-connector/connector.json
          test -d /var/lib/fps-qr/fps-qr-Site
          test -d /var/lib/fps-connector
          test -s /var/backups/fps-qr/latest/backup.json`)
      }
      expect(await failedUnits()).toBe('')
      await run(`apt install ./fps-qr_${VERSION}_${ARCHITECTURE}.deb
        systemctl enable --now fps-qr`)
      expect(await ask('tea', '/first')).toMatchObject({ qrCodeUid: 'first' })
    },
    10 * MINUTES,
  )

  it(
    'the package on a machine that never had a release makes users, directories and a secret of its own',
    async () => {
      await run(`apt-get purge -y fps-qr
        rm -r /etc/fps-qr /etc/fps-connector /var/lib/fps-qr /var/lib/fps-connector /var/backups/fps-qr
        userdel fps-qr
        userdel fps-connector
        apt install ./fps-qr_${VERSION}_${ARCHITECTURE}.deb`)
      expect(await run('cat /etc/fps-qr/settings')).toMatch(/^TOKEN_SECRET=[\w+/]{64}$/m)
      expect(await run('stat -c %U:%a /etc/fps-qr/settings /var/backups/fps-qr')).toBe(
        'root:600\nfps-qr:700\n',
      )
      // Nothing runs before the settings are complete.
      const { stdout } = await debian.run('systemctl is-active fps-qr.socket fps-qr fps-connector')
      expect(stdout).toBe('inactive\n'.repeat(3))
      await run(`sed -i 's|^PUBLIC_URL=$|&https://qr.acquirer.example|' /etc/fps-qr/settings
        editor /etc/fps-qr/settings
        systemctl enable --now fps-qr fps-qr-backup.timer`)
      expect(await create('tea', 'first')).toMatchObject({ qrCode: { status: 'CREATED' } })
      expect(await failedUnits()).toBe('')
    },
    10 * MINUTES,
  )
})
