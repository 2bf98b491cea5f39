// Answers without fields that the document does not have.
import * as z from 'zod/mini'

/** The schema without unknown fields, which the document lets every client accept. */
export const strict = <Shape extends z.core.$ZodShape>(schema: z.ZodMiniObject<Shape>) =>
  z.strictObject(schema.shape)
