// The picture of a QR code, as it is asked for (contract, section 5).
import * as z from 'zod'

export const MEDIA_TYPES = ['image/png', 'image/svg+xml'] as const
export type MediaType = (typeof MEDIA_TYPES)[number]

/** Width and height are pixels. */
export interface Image {
  mediaType: MediaType
  width: number
  height: number
}

const DEFAULT_SIDE = 300
const RULE = 'whole pixels from 100 to 2000'
const Side = z.int(RULE).min(100, RULE).max(2000, RULE)

export const ImageRequest = z
  .object(
    {
      mediaType: z.enum(MEDIA_TYPES, `one of ${MEDIA_TYPES.join(', ')}`).default('image/png'),
      width: Side.optional().meta({
        description: `Pixels; the height, where only that is given, else ${DEFAULT_SIDE}`,
      }),
      height: Side.optional().meta({
        description: `Pixels; the width, where only that is given, else ${DEFAULT_SIDE}`,
      }),
    },
    'an object',
  )
  .transform(({ mediaType, ...sides }): Image => ({ mediaType, ...sizeOf(sides) }))

/** The query of the picture's own address, where every value comes as text. */
export const ImageQuery = z.object({ width: pixels(), height: pixels() })

function pixels() {
  return z
    .string()
    .regex(/^\d{3,4}$/, RULE)
    .transform(Number)
    .pipe(Side)
    .optional()
}

/** The size of a picture; a side given alone makes a square. */
export const sizeOf = ({ width, height }: { width?: number | undefined; height?: number | undefined }) => ({
  width: width ?? height ?? DEFAULT_SIDE,
  height: height ?? width ?? DEFAULT_SIDE,
})
