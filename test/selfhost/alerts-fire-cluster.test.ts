// Every alert of a cluster in a real Prometheus: a fault makes it fire, and what docs/runbook.md says ends it.
// It runs by hand: ALERTS=1 npm run test:selfhost -- alerts-fire
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { load, untilWritable } from '../support/acknowledged.ts'
import { testCluster } from '../support/cluster.ts'
import { hasPrometheus, prometheus } from '../support/prometheus.ts'
import { temporaryDirectory } from '../support/serve.ts'

describe.runIf(process.env.ALERTS && hasPrometheus)('the alert', () => {
  it('FpsQrWithoutLease: the address of the cluster port goes away; it comes back', async () => {
    const cluster = await testCluster({ hasNetwork: true })
    const instance = await cluster.join('a')
    const watch = await prometheus(temporaryDirectory(), { 'fps-qr': instance.adminPort })
    cluster.network('a').takeAway()
    await watch.fires('FpsQrWithoutLease')
    expect(await instance.isReady()).toBe(false)
    cluster.network('a').heal()
    await watch.ends('FpsQrWithoutLease')
    while (!(await instance.isReady())) await sleep(50)
  })

  it('FpsQrBucketSlow: the bucket takes half a second for each request; it takes none', async () => {
    const cluster = await testCluster()
    const instance = await cluster.join('a')
    const watch = await prometheus(temporaryDirectory(), { 'fps-qr': instance.adminPort })
    await untilWritable(instance, ['demo'])
    const creates = load(() => [instance], ['demo'], 4)
    cluster.bucket.weather('all', { delayMs: 500 })
    await watch.fires('FpsQrBucketSlow')
    cluster.bucket.weather('all')
    await watch.ends('FpsQrBucketSlow')
    await creates.end()
    expect(creates.failures).toEqual([])
  })
})
