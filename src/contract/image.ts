// The picture of a QR code (contract, section 5).
import * as z from 'zod/mini'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { integerParameter } from './query.ts'

export const MEDIA_TYPES = ['image/png', 'image/svg+xml'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]
export const MediaType = z
  .enum(MEDIA_TYPES, `one of ${MEDIA_TYPES.join(', ')}`)
  .apply(meta, { id: 'MediaType' })

/** Width and height are pixels. */
export interface Image {
  mediaType: MediaType
  width: number
  height: number
}

const DEFAULT_SIDE = 300
const RULE = 'whole pixels from 100 to 2000'
const Side = z.int(RULE).check(z.minimum(100), z.maximum(2000))

export const ImageRequest = z
  .pipe(
    strictObject({
      mediaType: z._default(MediaType, 'image/png'),
      width: z
        .optional(Side)
        .apply(meta, { description: `Pixels. If absent, the height; if both are absent, ${DEFAULT_SIDE}` }),
      height: z
        .optional(Side)
        .apply(meta, { description: `Pixels. If absent, the width; if both are absent, ${DEFAULT_SIDE}` }),
    }),
    z.transform(({ mediaType, ...sides }): Image => ({ mediaType, ...sizeOf(sides) })),
  )
  .apply(meta, { id: 'ImageRequest' })

const SIDE = 'Pixels. If you give one side only, the picture is a square'

/** The query of the picture's own address. */
export const ImageQuery = strictObject({
  width: z.optional(integerParameter(Side)).apply(meta, { description: SIDE }),
  height: z.optional(integerParameter(Side)).apply(meta, { description: SIDE }),
})

/** The size of a picture; one side alone makes a square. */
export const sizeOf = ({ width, height }: { width?: number | undefined; height?: number | undefined }) => ({
  width: width ?? height ?? DEFAULT_SIDE,
  height: height ?? width ?? DEFAULT_SIDE,
})
