// The notifications of a site, for its merchant (contract, section 11).
import * as z from 'zod/mini'
import { CallbackId, DEFAULT_CALLBACK } from '../contract/callback.ts'
import { meta } from '../contract/meta.ts'
import { compose } from '../contract/notifications/compose.ts'
import {
  NOTIFICATION_GROUPS_EXAMPLE,
  NotificationGroupsAnswer,
  notificationGroupsAnswer,
} from '../contract/notifications/groups.ts'
import {
  DELIVERY_EXAMPLE,
  DeliveryAnswer,
  deliveryAnswer,
  NOTIFICATION_EXAMPLE,
  NOTIFICATIONS_EXAMPLE,
  NotificationAnswer,
  NotificationsAnswer,
  NotificationsQuery,
  notificationAnswer,
  notificationCursorOf,
} from '../contract/notifications/log.ts'
import { DAYS_KEPT, MAX_ATTEMPTS } from '../contract/notifications/status.ts'
import { strictObject } from '../contract/object.ts'
import { networkOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { showsTokens } from './answer.ts'

const TAG = {
  name: 'Notifications',
  description: 'The notifications that the service sent to your server, and their deliveries',
}

const COLLECTION = '/payin/v1/sites/{siteId}/notifications'
const Item = z.object({
  notificationId: z.string().apply(meta, { description: '`webhook-id`', examples: ['8c1f0d5a9b3e7f42-2'] }),
})

const TestQuery = strictObject({
  callback: z.optional(CallbackId).apply(meta, {
    description: `The address that it goes to; by default \`${DEFAULT_CALLBACK}\``,
  }),
})

/** The operations on notifications. */
export const notifications = () => [
  operation({
    operationId: 'listNotifications',
    method: 'get',
    path: COLLECTION,
    query: NotificationsQuery,
    tag: TAG,
    summary: 'List notifications',
    description: `Newest first, with the latest ${MAX_ATTEMPTS} deliveries of each. The service keeps delivered notifications for ${DAYS_KEPT.DELIVERED} days and failed ones for ${DAYS_KEPT.FAILED} days.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: NotificationsAnswer,
      description: 'A page of notifications',
      headers: [],
      examples: { page: NOTIFICATIONS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listNotifications,
    toContent: ({ service: { config } }, { notifications, next }) => ({
      value: {
        notifications: notifications.map((each) => notificationAnswer(each, config.utcOffset)),
        ...(next !== undefined && { nextCursor: notificationCursorOf(next) }),
      },
    }),
  }),
  // Before the path of one notification: `groups` is no identifier.
  operation({
    operationId: 'groupNotifications',
    method: 'get',
    path: `${COLLECTION}/groups`,
    tag: TAG,
    summary: 'Group undelivered notifications by cause',
    description: `Why notifications are not delivered: those that wait or have failed, by origin and cause. \`since\` is when your server began to fail, else the earliest attempt.`,
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: NotificationGroupsAnswer,
      description: 'The groups',
      headers: [],
      examples: { failing: NOTIFICATION_GROUPS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: groupNotifications,
    toContent: ({ service: { config } }, groups) => ({
      value: notificationGroupsAnswer(groups, config.utcOffset),
    }),
  }),
  operation({
    operationId: 'getNotification',
    method: 'get',
    path: `${COLLECTION}/{notificationId}`,
    parameters: Item,
    tag: TAG,
    summary: 'Get a notification',
    description:
      'The response has the body that is sent. With the scope `merchant:read`, the last four characters of a token replace its value.',
    scopes: ['merchant', 'merchant:read'],
    answer: {
      schema: NotificationAnswer,
      description: 'The notification',
      headers: [],
      examples: { delivered: NOTIFICATION_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: getNotification,
    toContent: ({ service: { config } }, { notification, body }) => ({
      value: notificationAnswer(notification, config.utcOffset, body),
    }),
  }),
  operation({
    operationId: 'redeliverNotification',
    method: 'post',
    path: `${COLLECTION}/{notificationId}/redeliver`,
    parameters: Item,
    tag: TAG,
    summary: 'Redeliver a notification',
    description:
      'The service delivers the notification now, in any status, with the same `webhook-id`. If it fails, the planned attempts stay as they are.',
    scopes: ['merchant'],
    answer: {
      schema: DeliveryAnswer,
      description: 'The result of the delivery',
      headers: [],
      examples: { delivered: DELIVERY_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: redeliver,
    toContent: (_, result) => ({ value: deliveryAnswer(result) }),
  }),
  operation({
    operationId: 'testNotification',
    method: 'post',
    path: `${COLLECTION}/test`,
    query: TestQuery,
    tag: TAG,
    summary: 'Send a test notification',
    description:
      'The service delivers a notification of a made-up payment of 1.00 now, to one address. Its `customFields.test` is "true". The notification is not stored.',
    scopes: ['merchant'],
    answer: {
      schema: DeliveryAnswer,
      description: 'The result of the delivery',
      headers: [],
      examples: { delivered: DELIVERY_EXAMPLE },
    },
    errors: ['validation.error', 'payin.incorrect-method-invocation'],
    handle: deliverTest,
    toContent: (_, result) => ({ value: deliveryAnswer(result) }),
  }),
]

interface OfItem {
  path: z.output<typeof Item>
}

const listNotifications = (site: SiteContext, { query }: { query: z.output<typeof NotificationsQuery> }) =>
  callSite(site, (object) => object.notifications(site.caller, query))

const groupNotifications = (site: SiteContext) =>
  callSite(site, (object) => object.notificationGroups(site.caller))

async function getNotification(site: SiteContext, { path }: OfItem) {
  const { notification, content } = await callSite(site, (object) =>
    object.notification(site.caller, path.notificationId),
  )
  const { service, siteId } = site
  const { utcOffset, publicUrl } = service.config
  const { isTest } = networkOf(service.config, siteId)
  const { body } = compose(content, { siteId, utcOffset, publicUrl, isTest }, showsTokens(site.caller))
  return { notification, body }
}

const redeliver = (site: SiteContext, { path }: OfItem) =>
  callSite(site, (object) => object.redeliver(site.caller, path.notificationId))

const deliverTest = (site: SiteContext, { query }: { query: z.output<typeof TestQuery> }) =>
  callSite(site, (object) => object.deliverTest(site.caller, query.callback))
