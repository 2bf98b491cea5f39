// In the settings of the admin: what is configured, and whether the service accepts it.
import { defineRouteConfig } from '@medusajs/admin-sdk'
import { Button, Container, Heading, Text, toast } from '@medusajs/ui'
import { useEffect, useState } from 'react'
import { call, texts } from '../../../texts'
import { UnclaimedMoney } from '../../../unclaimed'

interface Provider {
  providerId: string
  baseUrl: string
  siteId: string
  testSite: boolean
}

interface Check {
  providerId: string
  ok: boolean
  setting?: string
  reason?: string
}

function Settings() {
  const [providers, setProviders] = useState<Provider[]>([])
  const [checks, setChecks] = useState<Check[]>()
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    call<{ providers: Provider[] }>('/fps-qr/check')
      .then((answer) => setProviders(answer.providers))
      .catch((error) => toast.error(error.message))
  }, [])

  async function check() {
    setBusy(true)
    try {
      const answer = await call<{ providers: Check[] }>('/fps-qr/check', {})
      setChecks(answer.providers)
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Container className="divide-y p-0" id="fps-qr-settings">
      <div className="flex items-center justify-between px-6 py-4">
        <Heading level="h1">{texts.title}</Heading>
        <Button size="small" isLoading={busy} onClick={check}>
          {busy ? texts.checking : texts.check}
        </Button>
      </div>
      {providers.map(({ providerId, baseUrl, siteId, testSite }) => {
        const result = checks?.find((each) => each.providerId === providerId)
        return (
          <div key={providerId} className="flex flex-col gap-1 px-6 py-4">
            <Text weight="plus">{providerId}</Text>
            <Text size="small">
              {baseUrl} · {siteId}
            </Text>
            <Text size="small">
              {texts.testSite}: {testSite ? texts.yes : texts.no}
            </Text>
            {result && (
              <Text
                size="small"
                role="status"
                className={result.ok ? 'text-ui-tag-green-text' : 'text-ui-fg-error'}
              >
                {result.ok ? texts.good : `${result.setting}: ${result.reason}`}
              </Text>
            )}
          </div>
        )
      })}
      <UnclaimedMoney />
      <Text size="small" className="px-6 py-4">
        {texts.secrets}
      </Text>
    </Container>
  )
}

export const config = defineRouteConfig({ label: 'SBP' })

export default Settings
