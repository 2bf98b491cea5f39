// What tests need of the machine besides the project: where it is missing they fail, unless WITHOUT names it.

const without = (process.env.WITHOUT ?? '').split(',')

/**
 * Whether tests that need a tool run.
 * @throws Error if the tool is missing, and WITHOUT, a list separated by commas, does not name it
 */
export function requires(tool: string, isPresent: boolean): boolean {
  if (without.includes(tool)) return false
  if (!isPresent) throw new Error(`these tests need ${tool}; WITHOUT=${tool} leaves them out`)
  return true
}
