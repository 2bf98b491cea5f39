// Runs a command for a person: its errors are texts on standard error, and its status is 1 then, or 2.

/** An error of how a command is called. It ends with 2, so that a script knows it from what the command finds. */
export class UsageError extends Error {}

/** @param usage the text of --help */
export async function command(usage: string, run: () => void | Promise<void>): Promise<void> {
  if (process.argv.includes('--help')) return console.log(usage)
  try {
    await run()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}
