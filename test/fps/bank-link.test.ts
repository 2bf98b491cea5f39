// The links that open a functional link in a bank.
import { describe, expect, it } from 'vitest'
import type { Bank } from '../../src/fps/bank.ts'
import { bankLink, type Device } from '../../src/fps/bank-link.ts'

const ID = 'AD100004BAL7227F9BNP6KNE007J9B3K'
const PARAMETERS = '?type=02&bank=100000000007&sum=1&cur=RUB&crc=AB75'
const PAYLOAD = `https://qr.nspk.ru/${ID}${PARAMETERS}`
const bank = (more: Partial<Bank> = {}): Bank => ({ name: 'Банк', scheme: 'bank100000000111', ...more })

describe('the link of a bank', () => {
  it.each<[string, Device, Partial<Bank>, string | undefined]>([
    ['the scheme stands for https', 'phone', {}, `bank100000000111://qr.nspk.ru/${ID}${PARAMETERS}`],
    [
      'a phone needs no package',
      'phone',
      { package: 'ru.bank' },
      `bank100000000111://qr.nspk.ru/${ID}${PARAMETERS}`,
    ],
    [
      'Android opens the package',
      'android',
      { package: 'ru.bank.app' },
      `intent://qr.nspk.ru/${ID}${PARAMETERS}#Intent;scheme=bank100000000111;package=ru.bank.app;end;`,
    ],
    [
      'Android without a package opens the scheme',
      'android',
      {},
      `bank100000000111://qr.nspk.ru/${ID}${PARAMETERS}`,
    ],
    [
      'a desktop opens the site',
      'desktop',
      { webClientUrl: 'https://bank.example/sbp' },
      `https://bank.example/sbp/${ID}`,
    ],
    ['a desktop has no app', 'desktop', { package: 'ru.bank' }, undefined],
    [
      'a phone opens the app, not the site',
      'phone',
      { webClientUrl: 'https://bank.example/sbp' },
      `bank100000000111://qr.nspk.ru/${ID}${PARAMETERS}`,
    ],
  ])('%s', (_, device, more, link) => {
    expect(bankLink(bank(more), { payload: PAYLOAD, type: 'DYNAMIC' }, device)).toBe(link)
  })

  it.each([
    ['https://bank.example', `https://bank.example/${ID}`],
    ['https://bank.example/', `https://bank.example/${ID}`],
    ['https://bank.example/sbp', `https://bank.example/sbp/${ID}`],
    ['https://bank.example/sbp/', `https://bank.example/sbp/${ID}`],
    ['https://bank.example/sbp#', `https://bank.example/sbp#${ID}`],
    ['https://bank.example/#/sbp', `https://bank.example/#/sbp/${ID}`],
    ['https://bank.example/#/sbp/', `https://bank.example/#/sbp/${ID}`],
    ['https://bank.example/sbp?', `https://bank.example/sbp?${ID}`],
    ['https://bank.example/sbp?id=', `https://bank.example/sbp?id=${ID}`],
    ['https://bank.example/sbp?a=1&', `https://bank.example/sbp?a=1&${ID}`],
    ['https://bank.example/sbp?source=web', `https://bank.example/sbp/${ID}?source=web`],
    ['https://bank.example/sbp/?source=web', `https://bank.example/sbp/${ID}?source=web`],
  ])('on a site at %s is %s', (webClientUrl, link) => {
    expect(bankLink(bank({ webClientUrl }), { payload: PAYLOAD, type: 'DYNAMIC' }, 'desktop')).toBe(link)
  })

  it('that links an account opens the address for that, and no other', () => {
    const code = {
      payload: `https://sub.nspk.ru/${ID}?type=03&bank=100000000111&crc=3B02`,
      type: 'TOKEN',
    } as const
    const webClientUrl = 'https://bank.example/pay'
    expect(bankLink(bank({ webClientUrl }), code, 'desktop')).toBeUndefined()
    expect(
      bankLink(bank({ webClientUrl, webClientUrlSub: 'https://bank.example/sub' }), code, 'desktop'),
    ).toBe(`https://bank.example/sub/${ID}`)
    expect(bankLink(bank(), code, 'phone')).toBe(
      `bank100000000111://sub.nspk.ru/${ID}?type=03&bank=100000000111&crc=3B02`,
    )
  })

  it('of an own link has this service’s address', () => {
    const own = `http://127.0.0.1:8787/pay/demo/${ID}${PARAMETERS}`
    expect(bankLink(bank(), { payload: own, type: 'DYNAMIC' }, 'phone')).toBe(
      `bank100000000111://127.0.0.1:8787/pay/demo/${ID}${PARAMETERS}`,
    )
    expect(
      bankLink(bank({ webClientUrl: 'https://b.example' }), { payload: own, type: 'DYNAMIC' }, 'desktop'),
    ).toBe(`https://b.example/${ID}`)
  })
})
