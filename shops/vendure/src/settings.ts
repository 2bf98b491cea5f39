// The settings of the payment method in the admin: what they are, where the secrets are kept, and their check.
import {
  checkSettings,
  type FpsQr,
  notificationKeys,
  type SettingsFault,
  type ShopSettings,
  shopClient,
} from '@fps-qr/client'
import { Inject, Injectable } from '@nestjs/common'
import type { ConfigArg } from '@vendure/common/lib/generated-types'
import {
  type ID,
  LanguageCode,
  PaymentMethod,
  type PaymentMethodEvent,
  type RequestContext,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core'
import type { ConfigArgs } from '@vendure/core/dist/common/configurable-operation'
import { FpsQrSecrets } from './entities'
import { textOf } from './text-of'

export const HANDLER_CODE = 'fps-qr'

/** What the admin shows in place of a secret; saved again, it keeps the secret. */
export const SAVED = '(saved)'

const text = (en: string, ru: string) => [
  { languageCode: LanguageCode.en, value: en },
  { languageCode: LanguageCode.ru, value: ru },
]

/** The arguments of the handler, in the order of the form. */
export const ARGS = {
  baseUrl: {
    type: 'string',
    label: text('Address of the service', 'Адрес сервиса'),
    description: text('Such as https://qr.acquirer.example', 'Например, https://qr.acquirer.example'),
  },
  siteId: { type: 'string', label: text('Site (siteId)', 'Сайт (siteId)') },
  token: {
    type: 'string',
    required: false,
    ui: { component: 'password-form-input' },
    label: text('Access token', 'Токен доступа'),
    description: text('Of the scope merchant', 'С правом merchant'),
  },
  notificationKey: {
    type: 'string',
    required: false,
    ui: { component: 'password-form-input' },
    label: text('Notification key', 'Ключ уведомлений'),
    description: text(
      'whsec_…; two with a comma while it is replaced',
      'whsec_…; на время замены два через запятую',
    ),
  },
  testSite: { type: 'boolean', defaultValue: false, label: text('Test site', 'Тестовый сайт') },
  returnUrl: {
    type: 'string',
    required: false,
    label: text('Page after the payment', 'Страница после оплаты'),
    description: text('{code} stands for the code of the order', '{code} — код заказа'),
  },
  minutes: {
    type: 'int',
    defaultValue: 60,
    label: text('Minutes in which the code can be paid', 'Сколько минут код можно оплатить'),
  },
  receipts: {
    type: 'boolean',
    defaultValue: true,
    label: text('Receipts (54-FZ), if the site makes them', 'Чеки (54-ФЗ), если сайт их делает'),
  },
  vatFromTaxes: {
    type: 'boolean',
    defaultValue: false,
    label: text('Receipts have the tax rates of the order', 'В чеках ставки налога из заказа'),
    description: text('Otherwise the rate of the site', 'Иначе ставка из настроек сайта'),
  },
  checkOnSave: {
    type: 'boolean',
    defaultValue: true,
    label: text('Check on save', 'Проверять при сохранении'),
    description: text('Makes a code of 1 RUB and cancels it', 'Создаёт код на 1 ₽ и отменяет его'),
  },
} satisfies ConfigArgs

const SECRETS = ['token', 'notificationKey'] as const

export interface MethodSettings extends ShopSettings {
  returnUrl: string
  minutes: number
  receipts: boolean
  vatFromTaxes: boolean
}

@Injectable()
export class FpsQrSettings {
  constructor(@Inject(TransactionalConnection) private readonly connection: TransactionalConnection) {}

  /** The settings of a payment method, with its secrets. */
  async of(ctx: RequestContext, method: PaymentMethod): Promise<MethodSettings> {
    const secrets = await this.#secretsOf(ctx, method.id)
    const arg = argsOf(method.handler.args)
    return {
      baseUrl: addressOf(method),
      siteId: arg('siteId').trim(),
      token: secrets?.token ?? '',
      notificationKey: secrets?.notificationKey ?? '',
      testSite: arg('testSite') === 'true',
      returnUrl: arg('returnUrl').trim(),
      minutes: Number(arg('minutes') || '60'),
      receipts: arg('receipts') !== 'false',
      vatFromTaxes: arg('vatFromTaxes') === 'true',
    }
  }

  async client(ctx: RequestContext, method: PaymentMethod): Promise<FpsQr> {
    return shopClient(await this.of(ctx, method), CALLS)
  }

  /** Checks what is stored, by the service. */
  async check(ctx: RequestContext, method: PaymentMethod): Promise<SettingsFault | undefined> {
    return checkSettings(await this.of(ctx, method))
  }

  /**
   * Moves the secrets of a payment method that is saved out of its arguments, and checks it.
   * @throws UserInputError that names the setting: then nothing is saved
   */
  async onSaved({ ctx, entity: method, type, input }: PaymentMethodEvent): Promise<void> {
    if (method.handler?.code !== HANDLER_CODE) return
    const repository = this.connection.getRepository(ctx, FpsQrSecrets)
    if (type === 'deleted') {
      // Vendure says so too of a method that is removed from one channel alone.
      const methods = this.connection.getRepository(ctx, PaymentMethod)
      if (!(await methods.existsBy({ id: method.id }))) await repository.delete({ methodId: method.id })
      return
    }
    // Other changes, such as switching the method off, must not depend on the service.
    if (typeof input !== 'object' || !input.handler) return
    const secrets = (await this.#secretsOf(ctx, method.id)) ?? new FpsQrSecrets({ methodId: method.id })
    for (const name of SECRETS) {
      const stated = argsOf(method.handler.args)(name).trim()
      if (stated === '' || stated === SAVED) continue
      secrets[name] = stated
      if (name === 'token') secrets.baseUrl = addressOf(method)
    }
    await repository.save(secrets)
    // What listens to the event later sees no secret either.
    method.handler = { ...method.handler, args: withoutSecrets(method.handler.args) }
    input.handler.arguments = withoutSecrets(input.handler.arguments)
    await this.connection.getRepository(ctx, PaymentMethod).update(method.id, { handler: method.handler })
    await this.#refuseFaults(ctx, method, secrets)
  }

  async #refuseFaults(ctx: RequestContext, method: PaymentMethod, secrets: FpsQrSecrets): Promise<void> {
    const settings = await this.of(ctx, method)
    if (!Number.isInteger(settings.minutes) || settings.minutes < 1 || settings.minutes > 129_600)
      throw new UserInputError(`minutes is ${settings.minutes}, must be from 1 to 129600`)
    if (settings.returnUrl !== '' && !/^https?:\/\/\S+$/.test(settings.returnUrl))
      throw new UserInputError(`returnUrl is "${settings.returnUrl}", must be an http or https URL`)
    try {
      shopClient(settings)
      notificationKeys(settings.notificationKey)
    } catch (error) {
      throw new UserInputError(textOf(error))
    }
    // Who may edit the address may not see the token, so the stored one is sent to no new address.
    if (secrets.baseUrl !== settings.baseUrl)
      throw new UserInputError('token must be entered again, because baseUrl is another one')
    if (argsOf(method.handler.args)('checkOnSave') !== 'true') return
    const fault = await checkSettings(settings, { notifications: false })
    if (fault) throw new UserInputError(`${fault.setting}: ${fault.reason}`)
  }

  #secretsOf(ctx: RequestContext, methodId: ID): Promise<FpsQrSecrets | null> {
    return this.connection.getRepository(ctx, FpsQrSecrets).findOneBy({ methodId })
  }
}

/** Milliseconds: a customer waits, or the service, which gives a notification ten seconds. */
const CALLS = { attemptTimeoutMs: 5_000, timeLimitMs: 8_000, retryDelayMs: 200 }

const argsOf =
  (args: readonly ConfigArg[]) =>
  (name: keyof typeof ARGS): string =>
    args.find((each) => each.name === name)?.value ?? ''

/** Without a slash at its end, so that the same address is the same text. */
const addressOf = ({ handler }: PaymentMethod): string =>
  argsOf(handler.args)('baseUrl').trim().replace(/\/+$/, '')

const withoutSecrets = (args: readonly ConfigArg[]): ConfigArg[] =>
  args.map(({ name, value }) => ({
    name,
    value: SECRETS.some((each) => each === name) && value !== '' ? SAVED : value,
  }))
