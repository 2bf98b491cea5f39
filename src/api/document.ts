// The OpenAPI document of this deployment: the one of all operations, made at build time, cut to what is served here.
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { SANDBOX_TAG } from './sandbox.ts'

/** Where the build puts the document of all operations, among the static files. */
export const DOCUMENT_FILE = '/api.json'

/** The parts that depend on the deployment. */
const Document = z.looseObject({
  tags: z.array(z.looseObject({ name: z.string() })),
  paths: z.record(z.string(), z.unknown()),
  components: z.looseObject({
    schemas: z.looseObject({
      AmountRequest: z.looseObject({
        properties: z.looseObject({ currency: z.looseObject({ description: z.string() }) }),
        required: z.array(z.string()),
      }),
    }),
  }),
})

/** @param url the service's own address */
export function documentOf(
  fullDocument: unknown,
  { currencies, hasSandbox }: Pick<Config, 'currencies' | 'hasSandbox'>,
  url: string,
): object {
  const { tags, paths, components, ...rest } = Document.parse(fullDocument)
  const { AmountRequest, SandboxPayment, ...schemas } = components.schemas
  const { currency } = AmountRequest.properties
  const isOptional = currencies.includes('RUB')
  return {
    ...rest,
    servers: [{ url }],
    tags: tags.filter(({ name }) => hasSandbox || name !== SANDBOX_TAG.name),
    paths: Object.fromEntries(
      Object.entries(paths).filter(([path]) => hasSandbox || !path.startsWith('/sandbox/')),
    ),
    components: {
      ...components,
      schemas: {
        ...schemas,
        ...(hasSandbox && { SandboxPayment }),
        AmountRequest: {
          ...AmountRequest,
          properties: {
            ...AmountRequest.properties,
            currency: {
              ...currency,
              description: isOptional
                ? currency.description
                : currency.description.replace(/\. By default.*/, ''),
              enum: currencies,
            },
          },
          required: [...AmountRequest.required, ...(isOptional ? [] : ['currency'])],
        },
      },
    },
  }
}
