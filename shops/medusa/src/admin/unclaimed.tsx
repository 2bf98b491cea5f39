// The money of carts without an order, with a button that returns it.
import { Button, Text, toast, usePrompt } from '@medusajs/ui'
import { useEffect, useState } from 'react'
import { call, moment, money, texts } from './texts'

interface Answer {
  payments: { paymentId: string; qrCodeUid: string; dateTime: string; left: string }[]
}

export function UnclaimedMoney() {
  const [{ payments }, setAnswer] = useState<Answer>({ payments: [] })
  const [busy, setBusy] = useState<string>()
  const ask = usePrompt()
  useEffect(() => {
    call<Answer>('/fps-qr/unclaimed')
      .then(setAnswer)
      .catch((error) => toast.error(error.message))
  }, [])

  async function refund({ paymentId, left }: Answer['payments'][number]) {
    if (!(await ask({ title: texts.refund, description: `${texts.sure} ${money(left)}` }))) return
    setBusy(paymentId)
    try {
      setAnswer(await call<Answer>(`/fps-qr/unclaimed/${paymentId}/refund`, {}))
    } catch (error) {
      toast.error(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(undefined)
    }
  }

  if (payments.length === 0) return null
  return (
    <div className="flex flex-col gap-2 px-6 py-4">
      <Text weight="plus">{texts.unclaimed}</Text>
      <Text size="small">{texts.unclaimedAdvice}</Text>
      {payments.map((payment) => (
        <div key={payment.paymentId} className="flex items-center justify-between">
          <Text size="small">
            {moment(payment.dateTime)} · {payment.qrCodeUid}
          </Text>
          <Button
            size="small"
            variant="secondary"
            isLoading={busy === payment.paymentId}
            onClick={() => refund(payment)}
          >
            {texts.refund} {money(payment.left)}
          </Button>
        </div>
      ))}
    </div>
  )
}
