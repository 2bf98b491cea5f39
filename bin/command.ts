// Runs a command for a person: its errors are texts on standard error, and its status is 1 then.

/** @param usage the text of --help */
export async function command(usage: string, run: () => void | Promise<void>): Promise<void> {
  if (process.argv.includes('--help')) return console.log(usage)
  try {
    await run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
