// Memory of an isolate that is bounded: the latest entries of a map.

/** Puts an entry into a map as its latest; where it then has more than `most`, the oldest is forgotten. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
