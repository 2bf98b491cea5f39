// npm run settlement: prints what a settlement file of a bank says, or imports it into the sites of a configuration.
import { createReadStream } from 'node:fs'
import { faultLines } from '../../src/settlement/faults.ts'
import { type Bytes, type Parse, type Summary, Unreadable } from '../../src/settlement/formats/entry.ts'
import { parserOf } from '../../src/settlement/formats/formats.ts'
import { peek } from '../../src/settlement/formats/peek.ts'
import { isZip, ZIP_SIGNATURE_BYTES } from '../../src/settlement/formats/signatures.ts'
import { unzipped } from '../../src/settlement/formats/zip.ts'
import { BANKS } from '../../src/settlement/sources.ts'
import { command, UsageError } from '../command.ts'
import { reasonOf } from '../system-error.ts'
import { type Printing, readOptions } from './options.ts'
import { reportOf } from './report.ts'
import { importFile } from './split/import.ts'
import { Sums } from './sums.ts'

const USAGE = `npm run settlement -- FILE --bank BANK --format FORMAT [options]
npm run settlement -- FILE --bank NAME --config FILE [--env-file FILE] [options]

Reads a settlement file of a bank, and prints its period, its operations by kind and by day of payout with their sums in
roubles, and what it skips. It changes nothing and sends nothing.

  FILE                      the file as the bank sends it, or a zip that has it alone
  --bank BANK               ${BANKS.join(', ')}
  --format FORMAT           registry or statement
  --payout-account ACCOUNT  of a statement: an account of 20 digits from which the bank pays out; can be repeated
  --help                    this text

With --config it imports the file into the sites that have the credentials NAME, and prints what matches, and at most ten entries
that do not. Each line of a registry
goes to the site that has its payment; a statement goes to the only site as it is. A repeat is safe.

  --bank NAME               the name of one of banks in the configuration
  --config FILE             the configuration of the connector
  --env-file FILE           the settings of the service, which have TOKEN_SECRET. Without it the secret is that of the environment,
                            else of .dev.vars, which the first npm start makes: no other service accepts its token
  --format FORMAT           by default registry
  --site-of TERMINAL=SITE   the site of lines whose payment no site has; at Raiffeisenbank the merchant; can be repeated

A file that is not as its bank describes it ends the command with 1: its first ten faults are on standard error, by line
and column. So does a line without a site, before anything is sent, and an entry that does not match. A wrong option, or a file
that does not exist, ends it with 2.`

await command(USAGE, async () => {
  const options = readOptions()
  const content = await contentOf(options.file)
  if (options.config === undefined) await print(options, content)
  else {
    const { text, errors, isMatched } = await importFile(options, content)
    process.stdout.write(text)
    if (errors.length > 0) throw new Error(errors.join('\n'))
    if (!isMatched) process.exitCode = 1
  }
})

async function print({ bank, format, payoutAccounts }: Printing, content: Bytes): Promise<void> {
  const sums = new Sums()
  try {
    const summary = await addUp(parserOf(bank, format, { payoutAccounts }), content, sums)
    process.stdout.write(reportOf(sums, summary))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw new Error(faultLines(error.faults).join('\n'))
  }
}

/** The bytes of the file, or of the one in a zip. */
async function contentOf(file: string): Promise<Bytes> {
  const { head, all } = await peek(bytesOf(file), ZIP_SIGNATURE_BYTES)
  return isZip(head) ? unzipped(all) : all
}

/** @throws UsageError naming the file and the reason */
async function* bytesOf(file: string): Bytes {
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`)
  }
}

async function addUp(parse: Parse, bytes: Bytes, sums: Sums): Promise<Summary> {
  const batches = parse(bytes)
  let next = await batches.next()
  for (; !next.done; next = await batches.next()) for (const entry of next.value) sums.add(entry)
  return next.value
}
