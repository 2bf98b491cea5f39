// What the package exports.
export { type AmountInput, fromKopecks, toKopecks } from './amount.ts'
export {
  type CallOptions,
  type CreateQrCode,
  FpsQr,
  type QrCodesOptions,
  type RefundInput,
  type SaleInput,
} from './client.ts'
export {
  AccessError,
  ApiError,
  ConflictError,
  ConnectionError,
  ConnectionRefusedError,
  CursorGoneError,
  FpsQrError,
  InvalidRequestError,
  NotFoundError,
  NotificationError,
  RateLimitError,
  UnavailableError,
} from './errors.ts'
export type { EventsOptions } from './events.ts'
export type { FpsQrOptions, Retry } from './http.ts'
export {
  type Delivery,
  type Notification,
  type NotificationHeaders,
  verifyNotification,
} from './notifications.ts'
export {
  cancelOrder,
  createOrderCode,
  type OrderPayment,
  orderOf,
  readOrder,
  type StoredOrder,
} from './orders.ts'
export {
  type OrderLine,
  type PricedItem,
  receiptContact,
  receiptItems,
  receiptVat,
  spreadDiscount,
} from './receipts.ts'
export type {
  Amount,
  ChargeRequest,
  Event,
  EventFeed,
  EventType,
  Payment,
  PaymentDecisionRequest,
  PaymentStatus,
  QrCode,
  QrCodeStatus,
  QrCodeType,
  ReceiptContact,
  ReceiptItemRequest,
  ReceiptRequest,
  ReceiptState,
  Refund,
  Sale,
  SaleStatus,
  Settlement,
  SettlementEntry,
  SettlementMonth,
} from './schema.ts'
export type { EntriesOptions, SettlementFile, Settlements } from './settlements.ts'
export { checkSettings, notificationKeys, type SettingsFault, type ShopSettings, shopClient } from './shop.ts'
export type { WaitOptions } from './wait.ts'
