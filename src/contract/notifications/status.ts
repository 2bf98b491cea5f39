// What becomes of a notification, and for how long it is kept.

export const NOTIFICATION_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number]

/** Days for which a notification is kept after it was delivered, or has failed. */
export const DAYS_KEPT = { DELIVERED: 30, FAILED: 90 }
/** The latest deliveries of a notification are kept: of an endpoint that fails for a day there are more than a thousand. */
export const MAX_ATTEMPTS = 50
