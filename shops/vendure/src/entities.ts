// The tables of the plugin: the codes of orders, and the secrets of payment methods.
import { EntityId, type ID, Money, VendureEntity } from '@vendure/core'
import { Column, Entity, Index } from 'typeorm'

/** A QR code, stored before it is created at the service. */
@Entity()
export class FpsQrCode extends VendureEntity {
  constructor(fields: Partial<FpsQrCode> = {}) {
    super()
    Object.assign(this, fields)
  }

  @Index({ unique: true })
  @Column({ type: 'varchar', length: 200 })
  qrCodeUid: string = ''

  @Index()
  @EntityId()
  orderId: ID = ''

  @EntityId()
  channelId: ID = ''

  /** The code of the payment method. */
  @Column({ type: 'varchar' })
  method: string = ''

  /** Where it was created: the payment method can name another site later. */
  @Column({ type: 'varchar', default: '' })
  baseUrl: string = ''

  @Column({ type: 'varchar', default: '' })
  siteId: string = ''

  /** What it is for, in kopecks. */
  @Money()
  amount: number = 0

  /** The picture as SVG in base64. */
  @Column({ type: 'text', nullable: true })
  picture: string | null = null

  /** Each change of an order's payments adds one first: so the database makes them wait for each other. */
  @Column({ type: 'int' })
  changes: number = 0
}

/** The secrets of a payment method. The Admin API shows the arguments of a handler, so they are not there. */
@Entity()
export class FpsQrSecrets extends VendureEntity {
  constructor(fields: Partial<FpsQrSecrets> = {}) {
    super()
    Object.assign(this, fields)
  }

  @Index({ unique: true })
  @EntityId()
  methodId: ID = ''

  @Column({ type: 'text' })
  token: string = ''

  /** The address that the token was entered for: it goes to no other. */
  @Column({ type: 'varchar', default: '' })
  baseUrl: string = ''

  @Column({ type: 'text' })
  notificationKey: string = ''
}
