// Loads a part of the service when it is first needed: most instances of the Worker need few parts.

/**
 * Makes a function that loads a module, and then remembers it. The module is remembered, not the promise of it: a promise belongs to
 * the request that made it, and if that request ends before, as where its client disconnects or its object is reset, it never settles
 * for any other.
 */
export function lazily<Module extends object>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Module | undefined
  return async () => {
    loaded ??= await load()
    return loaded
  }
}
