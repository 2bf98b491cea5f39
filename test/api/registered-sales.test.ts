// Sales of a COUNTER code whose link a bank made: the bank arms it (contract, section 15).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { NetworkQrCodesAnswer } from '../../src/contract/reconciliation.ts'
import { SaleAnswer } from '../../src/contract/sale.ts'
import { type Answer, type Asked, bankSite } from '../support/bank-links.ts'
import { read } from '../support/payer.ts'
import { call, errorOf, refusalIn, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

const NOW = Date.parse('2036-11-20T12:00:00Z')
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => vi.useRealTimers())

const COUNTER_LINK = 'https://qr.nspk.ru/AS1R?type=01&bank=100000000001&crc=0000'

/** A bank that registers the code, and answers its sales as the test says. */
async function counter(answer: (asked: Asked) => ReturnType<Answer> = () => Response.json({})) {
  const bank = { answer }
  const site = bankSite((asked) =>
    asked.type === 'qrCode.register'
      ? Response.json({ payload: COUNTER_LINK, qrcId: 'AS1R', reference: 'bank code' })
      : bank.answer(asked),
  )
  const { qrCodeUid, answer: code } = await site.make({ amount: undefined }, { type: 'COUNTER' })
  const path = (saleUid: string) => `/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`
  return {
    ...site,
    bank,
    code,
    put: (saleUid: string, more: Record<string, unknown> = {}) =>
      site.ask(path(saleUid), { method: 'PUT', body: { amount: { value: 5 }, ...more } }),
    get: (saleUid: string) => site.ask(path(saleUid)),
    cancel: (saleUid: string) => site.ask(path(saleUid), { method: 'DELETE' }),
    cancelCode: () => site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }),
    codes: async () => {
      const token = await tokenOf({ sub: site.siteId, scope: 'network' })
      const response = await call(`/network/v1/sites/${site.siteId}/qrCodes`, { token })
      return strict(NetworkQrCodesAnswer).parse(await response.json()).qrCodes
    },
  }
}
const saleIn = async (response: Response) => {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return strict(SaleAnswer).parse(await response.json())
}
const broken = () => new Error('the connection broke')
const refusing = () => Response.json({ description: 'the till is unknown' }, { status: 422 })

describe('arming', () => {
  it('asks the bank, and is answered when the bank has armed the link', async () => {
    const { put, askedFor, siteId, code } = await counter(() =>
      Response.json({ reference: 'bank sale', expiresOn: '2036-11-20T12:04:00Z' }),
    )
    expect(code.qrCode.payload).toBe(COUNTER_LINK)
    expect(await saleIn(await put('s-1', { paymentPurpose: 'Tea' }))).toMatchObject({
      status: 'ACTIVE',
      createdOn: '2036-11-20T15:00:00+03:00',
      // The bank's is earlier.
      expiresOn: '2036-11-20T15:04:00+03:00',
    })
    expect(askedFor('sale.activate')).toEqual([
      {
        id: 'sale.activate:AS1R:s-1',
        type: 'sale.activate',
        timestamp: expect.any(String),
        data: {
          ...{ siteId, qrcId: 'AS1R', reference: 'bank code', saleUid: 's-1' },
          ...{ amount: { value: '5.00', currency: 'RUB' }, paymentPurpose: 'Tea', ttl: 5 },
          expiresOn: '2036-11-20T15:05:00+03:00',
        },
      },
    ])
    const again = await put('s-1', { paymentPurpose: 'Tea' })
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect(askedFor('sale.activate')).toHaveLength(1)
  })

  it('that the bank refuses leaves nothing behind', async () => {
    const { put, get, bank } = await counter(refusing)
    const refused = await put('s-1')
    const { errorCode, description } = await errorOf(refused)
    expect([refused.status, errorCode, description]).toEqual([409, 'network.refused', 'the till is unknown'])
    expect((await get('s-1')).status).toBe(404)
    bank.answer = () => Response.json({})
    expect((await saleIn(await put('s-2'))).status).toBe('ACTIVE')
  })

  it.each<[string, () => Response | Error]>([
    ['gives no answer', broken],
    ['fails', () => new Response(null, { status: 500 })],
    ['gives no JSON', () => new Response('ok')],
  ])(
    'where the bank %s, reserves the code: another sale is 409 until the same is answered',
    async (_, fault) => {
      const { put, get, bank, cancel, code, service } = await counter(fault)
      const page = () => read(code.pageUrl, 'ru', service)
      expect(await refusalIn(await put('s-1'))).toEqual([503, 'network.unavailable'])
      expect((await get('s-1')).status).toBe(404)
      expect(await page()).toContain('data-status="NOT_ARMED"')
      expect((await cancel('s-1')).status).toBe(404)
      const other = await put('s-2')
      expect([other.status, (await errorOf(other)).cause]).toEqual([409, { saleUid: ['s-1'] }])
      const changed = await put('s-1', { amount: { value: 6 } })
      expect(await refusalIn(changed)).toEqual([409, 'payin.resource.already.exists'])
      bank.answer = () => Response.json({})
      vi.setSystemTime(NOW + 60_000)
      // Its time began with the first request.
      expect(await saleIn(await put('s-1'))).toMatchObject({
        status: 'ACTIVE',
        expiresOn: '2036-11-20T15:05:00+03:00',
      })
      expect(await page()).not.toContain('data-status="NOT_ARMED"')
    },
  )

  it('that was never answered leaves the code free after its time', async () => {
    const { put, get, bank } = await counter(broken)
    await put('s-1')
    vi.setSystemTime(NOW + 300_000)
    bank.answer = () => Response.json({})
    expect((await saleIn(await put('s-2'))).status).toBe('ACTIVE')
    expect((await get('s-1')).status).toBe(404)
  })

  it('that was never answered may have had an effect: a payment that names its sale makes it PAYED', async () => {
    const { put, get, report } = await counter(broken)
    await put('s-1')
    await report('AS1R', 'p-1', { saleUid: 's-1' })
    expect(await saleIn(await get('s-1'))).toMatchObject({ status: 'PAYED', payment: { paymentUid: 'p-1' } })
    expect((await saleIn(await put('s-1'))).status).toBe('PAYED')
  })

  it('by two tills at once asks the bank for one', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { put, askedFor } = await counter(async () => {
      await held
      return Response.json({})
    })
    const first = put('s-1')
    await vi.waitFor(() => expect(askedFor('sale.activate')).toHaveLength(1), 30_000)
    const second = await put('s-2')
    expect([second.status, (await errorOf(second)).cause]).toEqual([409, { saleUid: ['s-1'] }])
    release()
    expect((await saleIn(await first)).status).toBe('ACTIVE')
    expect(askedFor('sale.activate')).toHaveLength(1)
  })
})

describe('cancelling', () => {
  it('asks the bank first, with what it said of the sale', async () => {
    const { put, cancel, askedFor, siteId } = await counter(() => Response.json({ reference: 'bank sale' }))
    await put('s-1')
    expect((await saleIn(await cancel('s-1'))).status).toBe('CANCELLED')
    expect((await saleIn(await cancel('s-1'))).status).toBe('CANCELLED')
    expect(askedFor('sale.deactivate')).toMatchObject([
      {
        id: 'sale.deactivate:AS1R:s-1',
        data: { siteId, qrcId: 'AS1R', reference: 'bank sale', saleUid: 's-1' },
      },
    ])
  })

  it.each<[string, () => Response | Error, unknown[]]>([
    ['gives no answer', broken, [503, 'network.unavailable']],
    ['refuses', refusing, [409, 'network.refused']],
  ])('where the bank %s leaves the sale ACTIVE', async (_, fault, expected) => {
    const { put, get, cancel, bank } = await counter()
    await put('s-1')
    bank.answer = fault
    expect(await refusalIn(await cancel('s-1'))).toEqual(expected)
    expect((await saleIn(await get('s-1'))).status).toBe('ACTIVE')
    expect((await put('s-2')).status).toBe(409)
  })

  it('of a sale that is paid meanwhile is 409', async () => {
    const { put, cancel, bank, report, get } = await counter()
    await put('s-1')
    bank.answer = async () => {
      await report('AS1R', 'p-1', { saleUid: 's-1' })
      return Response.json({})
    }
    expect(await refusalIn(await cancel('s-1'))).toEqual([409, 'payin.incorrect-method-invocation'])
    expect((await saleIn(await get('s-1'))).status).toBe('PAYED')
  })
})

describe('cancelling a code that is armed', () => {
  const codeStatus = async (response: Response) => {
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return strict(QrCodeAnswer).parse(await response.json()).qrCode.status
  }

  it('asks the bank to disarm the link first, and cancels the sale and the code', async () => {
    const { put, get, cancelCode, askedFor, siteId } = await counter(() =>
      Response.json({ reference: 'bank sale' }),
    )
    await put('s-1')
    expect(await codeStatus(await cancelCode())).toBe('CANCELLED')
    expect((await saleIn(await get('s-1'))).status).toBe('CANCELLED')
    expect(await codeStatus(await cancelCode())).toBe('CANCELLED')
    expect(askedFor('sale.deactivate')).toMatchObject([
      {
        id: 'sale.deactivate:AS1R:s-1',
        data: { siteId, qrcId: 'AS1R', reference: 'bank sale', saleUid: 's-1' },
      },
    ])
  })

  it.each<[string, () => Response | Error, unknown[]]>([
    ['gives no answer', broken, [503, 'network.unavailable']],
    ['refuses', refusing, [409, 'network.refused']],
  ])('where the bank %s changes nothing', async (_, fault, expected) => {
    const { put, get, cancelCode, bank, code, ask } = await counter()
    await put('s-1')
    bank.answer = fault
    expect(await refusalIn(await cancelCode())).toEqual(expected)
    expect((await saleIn(await get('s-1'))).status).toBe('ACTIVE')
    expect(await codeStatus(await ask(`/sbp/qrCodes/${code.qrCodeUid}`))).toBe('CREATED')
  })

  it('also where it is only reserved: the bank can have armed the link', async () => {
    const { put, cancelCode, askedFor, bank } = await counter(broken)
    await put('s-1')
    bank.answer = () => Response.json({})
    expect(await codeStatus(await cancelCode())).toBe('CANCELLED')
    expect(askedFor('sale.deactivate')).toMatchObject([
      { data: { qrcId: 'AS1R', reference: 'bank code', saleUid: 's-1' } },
    ])
  })

  it('asks for the sale that is armed by then, not for one that is paid meanwhile', async () => {
    const { put, get, cancelCode, bank, report, askedFor } = await counter()
    await put('s-1')
    bank.answer = async ({ type, data }) => {
      if (type === 'sale.deactivate' && data.saleUid === 's-1') {
        await report('AS1R', 'p-1', { saleUid: 's-1' })
        await put('s-2')
      }
      return Response.json({})
    }
    expect(await codeStatus(await cancelCode())).toBe('CANCELLED')
    expect((await saleIn(await get('s-1'))).status).toBe('PAYED')
    expect((await saleIn(await get('s-2'))).status).toBe('CANCELLED')
    expect(askedFor('sale.deactivate').map(({ data }) => data.saleUid)).toEqual(['s-1', 's-2'])
  })

  it('does not ask the bank about a sale that has ended, nor about a code without one', async () => {
    const { put, cancelCode, askedFor } = await counter()
    await put('s-1')
    vi.setSystemTime(NOW + 300_000)
    expect(await codeStatus(await cancelCode())).toBe('CANCELLED')
    expect(askedFor('sale.deactivate')).toEqual([])
  })
})

it('the connector is told of the sales that its bank can take money for', async () => {
  const { put, cancel, report, codes } = await counter(({ data }) =>
    Response.json({ reference: `bank ${data.saleUid}` }),
  )
  await put('s-1')
  await report('AS1R', 'p-1', { saleUid: 's-1' })
  await put('s-2')
  await cancel('s-2')
  await put('s-3')
  const [code] = await codes()
  expect(code).toMatchObject({ qrcId: 'AS1R', type: 'COUNTER', status: 'CREATED' })
  expect(code).not.toHaveProperty('expiresOn')
  expect(code?.sales?.map(({ saleUid, status, reference }) => [saleUid, status, reference])).toEqual([
    ['s-2', 'CANCELLED', 'bank s-2'],
    ['s-3', 'ACTIVE', 'bank s-3'],
  ])
  vi.setSystemTime(NOW + 26 * 3_600_000)
  expect((await codes())[0]?.sales).toEqual([])
})

it('the connector is told of a sale whose arming it did not answer, without a reference', async () => {
  const { put, codes } = await counter(broken)
  expect(await refusalIn(await put('s-1'))).toEqual([503, 'network.unavailable'])
  expect((await codes())[0]?.sales).toEqual([
    {
      ...{ saleUid: 's-1', status: 'ACTIVE', amount: { value: '5.00', currency: 'RUB' } },
      ...{ createdOn: '2036-11-20T15:00:00+03:00', expiresOn: '2036-11-20T15:05:00+03:00' },
    },
  ])
})

describe('arming, where something comes between', () => {
  it('is not free after a repeated request that the bank refuses: the first one can have armed the link', async () => {
    const { put, bank, report, get } = await counter(broken)
    expect(await refusalIn(await put('s-1'))).toEqual([503, 'network.unavailable'])
    bank.answer = refusing
    expect(await refusalIn(await put('s-1'))).toEqual([409, 'network.refused'])
    expect(await refusalIn(await put('s-2'))).toEqual([409, 'payin.incorrect-method-invocation'])
    // The bank had armed it.
    await report('AS1R', 'p-1', { saleUid: 's-1' })
    expect(await saleIn(await get('s-1'))).toMatchObject({ status: 'PAYED', payment: { paymentUid: 'p-1' } })
  })

  it('of a code that is cancelled meanwhile is refused, and the bank is told', async () => {
    const { put, ask, bank, askedFor, code } = await counter()
    bank.answer = async ({ type }) => {
      if (type === 'sale.activate') await ask(`/sbp/qrCodes/${code.qrCodeUid}`, { method: 'DELETE' })
      return Response.json({})
    }
    expect(await refusalIn(await put('s-1'))).toEqual([409, 'payin.incorrect-method-invocation'])
    // Before the code is cancelled, because the bank may have armed it, and again when it has.
    expect(askedFor('sale.deactivate')).toMatchObject(
      Array(2).fill({ data: { qrcId: 'AS1R', saleUid: 's-1' } }),
    )
  })

  it('by a key that is revoked meanwhile is refused, and the bank is told', async () => {
    const { siteId, service, code, bank, askedFor } = await counter()
    const admin = await tokenOf({ sub: siteId, jti: 'admin', scope: 'merchant:admin' })
    bank.answer = async ({ type }) => {
      const revocation = { method: 'DELETE', token: admin }
      if (type === 'sale.activate') {
        const path = `/payin/v1/sites/${siteId}/apiKeys/leaver`
        expect((await call(path, revocation, service)).status).toBe(204)
      }
      return Response.json({})
    }
    const path = `/payin/v1/sites/${siteId}/sbp/qrCodes/${code.qrCodeUid}/sales/s-1`
    const token = await tokenOf({ sub: siteId, jti: 'leaver', scope: 'merchant:till' })
    const sent = { method: 'PUT', body: { amount: { value: 5 } }, token }
    expect(await refusalIn(await call(path, sent, service))).toEqual([401, 'auth.unauthorized'])
    expect(askedFor('sale.deactivate')).toMatchObject([{ data: { qrcId: 'AS1R', saleUid: 's-1' } }])
  })

  it('by a repeated request, while the bank refuses the first one, leaves no link armed without its sale', async () => {
    const { put, get, bank, askedFor } = await counter()
    const [first, second] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()]
    bank.answer = ({ type }) => {
      if (type !== 'sale.activate') return Response.json({})
      return askedFor('sale.activate').length === 1 ? first.promise : second.promise
    }
    const refused = put('s-1')
    await vi.waitFor(() => expect(askedFor('sale.activate')).toHaveLength(1), 30_000)
    const repeated = put('s-1')
    await vi.waitFor(() => expect(askedFor('sale.activate')).toHaveLength(2), 30_000)
    first.resolve(refusing())
    expect(await refusalIn(await refused)).toEqual([409, 'network.refused'])
    second.resolve(Response.json({}))
    expect([(await repeated).status, (await get('s-1')).status]).toEqual([404, 404])
    expect(askedFor('sale.deactivate')).toMatchObject([{ data: { qrcId: 'AS1R', saleUid: 's-1' } }])
  })

  it('asks the bank that made the link also after LINKS was set back', async () => {
    const { code, siteId, asked } = await counter()
    const own = bankSite(() => Response.json({}), { LINKS: 'own' })
    const path = `/payin/v1/sites/${siteId}/sbp/qrCodes/${code.qrCodeUid}/sales/s-1`
    const request = { method: 'PUT', body: { amount: { value: 5 } }, token: await tokenOf({ sub: siteId }) }
    expect((await call(path, request, own.service)).status).toBe(200)
    expect(own.askedFor('sale.activate')).toHaveLength(1)
    expect(asked.filter(({ type }) => type === 'sale.activate')).toEqual([])
  })

  it('of a link of a bank is refused without a connector, and leaves no reservation', async () => {
    const { code, siteId, put } = await counter()
    const path = `/payin/v1/sites/${siteId}/sbp/qrCodes/${code.qrCodeUid}/sales/s-1`
    const request = { method: 'PUT', body: { amount: { value: 5 } }, token: await tokenOf({ sub: siteId }) }
    expect(await refusalIn(await call(path, request))).toEqual([503, 'network.unavailable'])
    expect((await put('s-2')).status).toBe(200)
  })
})

it('a number of a sale is never used again: a payment keeps its saleUid', async () => {
  const { put, ask, bank, report } = await counter(broken)
  await put('s-1')
  await report('AS1R', 'p-1', { status: 'DECLINED', saleUid: 's-1' })
  vi.setSystemTime(NOW + 600_000)
  bank.answer = () => Response.json({})
  await put('s-2')
  expect(await (await ask('/payments/p-1')).text()).not.toContain('s-2')
})
