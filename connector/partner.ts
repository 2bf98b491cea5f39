// What banks and cash registers have in common: a webhook, and a line of `check`.

/** An HTTP request from a bank or a cash register; names of headers are in lower case. */
export interface WebhookRequest {
  headers: Record<string, string>
  body: string
}

/** A line of `check`: whether one thing works, and what it is. */
export interface CheckResult {
  isGood: boolean
  text: string
}
