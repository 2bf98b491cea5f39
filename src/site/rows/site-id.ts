// Finds the siteId of an object: the name by which it is reached, in its tables, or told by the caller.
import { UNNAMED } from '../../contract/site-id.ts'

/**
 * While a cluster hands an object over, a call can reach it by its id alone. Then the site's tables tell the name; where it
 * has none, the caller does.
 */
export class SiteName {
  #name: string | undefined
  readonly #isOwn: (name: string) => boolean

  /**
   * @param name if the object was reached by it
   * @param isOwn whether the object's id is the one of a name
   */
  constructor(name: string | undefined, isOwn: (name: string) => boolean) {
    this.#name = name
    this.#isOwn = isOwn
  }

  get isKnown(): boolean {
    return this.#name !== undefined
  }

  /** @throws Error UNNAMED, before the call has done anything: it would work on a site without a name */
  get value(): string {
    if (this.#name === undefined) throw new Error(UNNAMED)
    return this.#name
  }

  /** @throws Error for the name of another object */
  introduce(name: string): void {
    if (!this.#isOwn(name)) throw new Error(`the object is not the one of site ${name}`)
    this.#name = name
  }
}
