// On the page of an order: the money that came for it, with a button for what must be returned.
import { defineWidgetConfig } from '@medusajs/admin-sdk'
import { Badge, Button, Container, Heading, Text, toast, usePrompt } from '@medusajs/ui'
import { useCallback, useEffect, useState } from 'react'
import { call, moment, money, texts } from '../texts'

interface Income {
  paymentId: string
  dateTime: string
  amount: string
  left: string
  kind: 'paid' | 'late' | 'surplus'
  unrecorded: { amount: string; status: string }[]
  mistaken: { amount: string }[]
}

interface Answer {
  payments: Income[]
}

const COLORS = { paid: 'green', late: 'red', surplus: 'orange' } as const

function Payments({ data: { id } }: { data: { id: string } }) {
  const [payments, setPayments] = useState<Income[]>()
  const [busy, setBusy] = useState<string>()
  const ask = usePrompt()
  const show = useCallback(async () => {
    const answer = await call<Answer>(`/fps-qr/orders/${id}`)
    setPayments(answer.payments)
  }, [id])
  useEffect(() => {
    show().catch((error) => toast.error(error.message))
  }, [show])

  async function send(paymentId: string) {
    setBusy(paymentId)
    try {
      await call(`/fps-qr/orders/${id}/payments/${paymentId}/refund`, {})
      await show()
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(undefined)
    }
  }

  async function refund({ paymentId, left }: Income) {
    if (await ask({ title: texts.refund, description: `${texts.sure} ${money(left)}` })) await send(paymentId)
  }

  if (!payments) return null
  return (
    <Container className="divide-y p-0" id="fps-qr-payments">
      <Heading level="h2" className="px-6 py-4">
        {texts.title}
      </Heading>
      {payments.length === 0 && <Text className="px-6 py-4">{texts.none}</Text>}
      {payments.map((income) => {
        const { paymentId, dateTime, amount, left, kind } = income
        // The module puts both right before it returns anything: the refund is the same one.
        const faults = [
          ...income.unrecorded.map(
            ({ amount, status }) =>
              `${texts.refund} ${money(amount)}: ${status === 'COMPLETED' ? texts.done : texts.waiting}`,
          ),
          ...income.mistaken.map(({ amount }) => `${texts.refund} ${money(amount)}: ${texts.mistaken}`),
        ]
        const mustReturn = kind !== 'paid' && Number(left) > 0 && faults.length === 0
        return (
          <div key={paymentId} className="flex flex-col gap-2 px-6 py-4">
            <div className="flex items-center justify-between">
              <Text weight="plus">{money(amount)}</Text>
              <Badge size="2xsmall" color={COLORS[kind]}>
                {texts[kind]}
              </Badge>
            </div>
            <Text size="small">
              {moment(dateTime)} · {texts.left} {money(left)}
            </Text>
            {faults.map((fault) => (
              <Text key={fault} size="small">
                {fault}
              </Text>
            ))}
            {faults.length > 0 && (
              <Button
                size="small"
                variant="secondary"
                isLoading={busy === paymentId}
                onClick={() => send(paymentId)}
              >
                {income.unrecorded.length > 0 ? texts.record : texts.takeBack}
              </Button>
            )}
            {mustReturn && (
              <>
                <Text size="small">{kind === 'late' ? texts.lateAdvice : texts.surplusAdvice}</Text>
                <Button
                  size="small"
                  variant="secondary"
                  isLoading={busy === paymentId}
                  onClick={() => refund(income)}
                >
                  {texts.refund} {money(left)}
                </Button>
              </>
            )}
          </div>
        )
      })}
    </Container>
  )
}

export const config = defineWidgetConfig({ zone: 'order.details.side.before' })

export default Payments
