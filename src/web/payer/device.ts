// What the payer's browser runs on, as far as it says.
import type { Context } from 'hono'
import type { Device } from '../../fps/bank-link.ts'

export function deviceOf(c: Context): Device {
  const agent = c.req.header('User-Agent') ?? ''
  if (/Android/i.test(agent)) return 'android'
  return /iPhone|iPad|iPod|Mobile/i.test(agent) || c.req.header('Sec-CH-UA-Mobile') === '?1'
    ? 'phone'
    : 'desktop'
}
