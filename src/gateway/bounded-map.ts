// A map of limited size, for caches in memory.

/** Sets an entry as the map's latest. If the map then has more than `maxEntries`, the oldest entry is deleted. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= maxEntries) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
