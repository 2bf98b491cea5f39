// The site of an object: objects are reached by the names of their sites.

/** @throws Error for an object that was reached by its id alone: it would work as a site without a name */
export function siteIdOf({ name }: DurableObjectId): string {
  if (!name) throw new Error('the object has no name, must be reached by the name of its site')
  return name
}
