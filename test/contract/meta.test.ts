import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { meta } from '../../src/contract/meta.ts'

it('adds keywords to those of a schema, but not to the schema itself', () => {
  const line = z.string().apply(meta, { id: 'Line', maxLength: 60 })
  const name = line.apply(meta, { description: 'Shown to the payer' })
  expect(z.globalRegistry.get(line)).toEqual({ id: 'Line', maxLength: 60 })
  expect(z.globalRegistry.get(name)).toEqual({ maxLength: 60, description: 'Shown to the payer' })
})
