import { expect, it } from 'vitest'
import { setBounded } from '../../src/gateway/bounded-map.ts'

it('a map keeps its latest entries, at most so many', () => {
  const map = new Map<string, number>()
  for (const [number, key] of ['a', 'b', 'a', 'c', 'd'].entries()) setBounded(map, key, number, 3)
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 4],
  ])
})
