// The payer's device, as far as the browser states it.
import type { Context } from 'hono'
import type { Device } from '../../fps/bank-link.ts'

export function deviceOf(c: Context): Device {
  const agent = c.req.header('User-Agent') ?? ''
  if (/Android/i.test(agent)) return 'android'
  return /iPhone|iPad|iPod|Mobile/i.test(agent) || c.req.header('Sec-CH-UA-Mobile') === '?1'
    ? 'phone'
    : 'desktop'
}
