// Loads the module of passkeys with the first request that needs it (docs/decisions/0136-passkeys-are-checked-without-a-package.md).

let loaded: Promise<typeof import('../passkeys/passkeys.ts')> | undefined

/** Makes and checks passkeys. A module that could not be loaded is asked for again. */
export const passkeys = (): Promise<typeof import('../passkeys/passkeys.ts')> => {
  loaded ??= import('../passkeys/passkeys.ts').catch((error) => {
    loaded = undefined
    throw error
  })
  return loaded
}
