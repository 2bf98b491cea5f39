// The names of the settings that an operator sets.
import { DeploymentSettings } from '../../src/config.ts'
import { nearestOf } from '../../src/http/nearest.ts'

/** All of docs/operations.md; `SELF_HOSTED` is set by the configuration of workerd. */
export const SETTING_NAMES: readonly string[] = Object.keys(DeploymentSettings.shape).filter(
  (name) => name !== 'SELF_HOSTED',
)

/** An error for each unknown setting, with the nearest known name. */
export const unknownSettings = (names: readonly string[]): string[] =>
  names
    .filter((name) => !SETTING_NAMES.includes(name))
    .map((name) => {
      const near = nearestOf(name, SETTING_NAMES) ?? onlyOneWithWordsOf(name)
      return `${name} is not a setting, ${near ? `did you mean ${near}` : 'must be one of docs/operations.md'}`
    })

/** `BANK_MEMBER_ID` for `BANK_ID`: a word is easily forgotten. */
function onlyOneWithWordsOf(name: string): string | undefined {
  const words = name.split('_')
  const [one, ...others] = SETTING_NAMES.filter((each) =>
    words.every((word) => each.split('_').includes(word)),
  )
  return others.length === 0 ? one : undefined
}
