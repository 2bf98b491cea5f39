// Declares an operation of the API: its documentation, its schemas and its handler.
import type * as z from 'zod/mini'
import type { Scope } from '../contract/access-token.ts'
import type { Act, ActDetails } from '../contract/audit.ts'
import type { Example } from '../contract/example.ts'
import type { ErrorCode } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import type { FileLimits } from './file-body.ts'
import type { ResponseHeaders } from './response.ts'
import type { Chunk } from './stream.ts'

/**
 * What an operation declares; routes, the calls of the console and the OpenAPI document derive from it. The schemas that validate
 * a request are the ones that the document shows. `Path` has the parameters of the
 * path besides siteId; `Headers` has the names as the document shows them.
 */
interface Declared<
  Path extends z.ZodMiniObject,
  Query extends z.ZodMiniObject,
  Headers extends z.ZodMiniObject,
  Body extends z.ZodMiniType,
  Answer extends z.ZodMiniType,
  Value,
  Id extends string,
> {
  operationId: Id
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Absolute, with parameters in braces: `/payin/v1/sites/{siteId}/sbp/qrCodes`. */
  path: `/${string}/v1/${'sites' | 'keys' | 'audit' | 'people' | 'settlements'}${string}`
  tag: Tag
  summary: string
  description: string
  /** Any one of these is enough. */
  scopes: readonly Scope[]
  parameters?: Path
  query?: Query
  /** Parameters of the query whose items are percent-encoded one by one. */
  encodedLists?: readonly string[]
  headers?: Headers
  body?: {
    schema: Body
    examples: Record<string, Example>
    /** A parameter of the path that the body may repeat, but only equal. */
    repeats?: string
    /** By default application/json alone. In a merge patch null is a value. */
    mediaTypes?: readonly [string, ...string[]]
    /** Bytes that it has at most, where it is a file: the schema gets them as they are. */
    maxSize?: number
    /** The limits of a file that is read as a stream: the schema gets a FileBody. */
    file?: FileLimits
  }
  answer: JsonAnswer<Answer> | FileAnswer | EmptyAnswer
  /** Its own errors; those that every operation has are added where they are documented. */
  errors: readonly ErrorCode[]
  /** Whether it works on a site that is deleted, too. */
  isOnDeleted?: boolean
  /** What the audit has of it; an operation without this is in no audit. */
  act?: {
    name: Act
    /** What was asked. */
    details?(input: { path: z.output<Path>; query: z.output<Query>; body: z.output<Body> }): ActDetails
    /** What became of it. */
    outcome?(value: Value): ActDetails
  }
  handle(
    site: SiteContext,
    input: {
      path: z.output<Path>
      query: z.output<Query>
      headers: z.output<Headers>
      body: z.output<Body>
    },
  ): Promise<Value>
  /** The answer as a file of other media types, where `Accept` prefers one of them to JSON. */
  files?: {
    mediaTypes: readonly string[]
    handle(
      site: SiteContext,
      input: { path: z.output<Path>; query: z.output<Query> },
      mediaType: string,
    ): Promise<ResponseContent<never>>
  }
}

/** A declared operation. `Value` is what its handler gives: what happened or was read, not yet the JSON of an answer. */
export interface Operation<
  Value = unknown,
  Id extends string = string,
  Answer extends z.ZodMiniType = z.ZodMiniType,
> extends Declared<z.ZodMiniObject, z.ZodMiniObject, z.ZodMiniObject, z.ZodMiniType, Answer, Value, Id> {
  /** The content of the response that shows the value. */
  toContent(site: SiteContext, value: Value): ResponseContent<z.input<Answer>>
}

interface AnswerDescription {
  description: string
  headers: readonly AnswerHeader[]
}
interface JsonAnswer<T extends z.ZodMiniType = z.ZodMiniType> extends AnswerDescription {
  /** 202: what is asked will be done. By default 200. */
  accepted?: true
  /** When the answer is 201 instead: with the first of equal requests. */
  created?: string
  /** When the answer is 204 instead, without a body. */
  empty?: string
  schema: T
  examples: Record<string, Example>
}
/** A file, for which the handler itself negotiates the media type. */
interface FileAnswer extends AnswerDescription {
  mediaTypes: readonly string[]
}

/** A success that has nothing to show. */
export interface EmptyAnswer extends AnswerDescription {
  status: 204
}

/** A group of operations in the document; the operations of a group share the object. */
interface Tag {
  name: string
  description: string
}

export type AnswerHeader =
  | 'Location'
  | 'Idempotent-Replayed'
  | 'ETag'
  | 'Preference-Applied'
  | 'Content-Disposition'
  | 'Link'

/** What becomes the response; with an ETag that the client has already, the response is 304. `text` is the value as JSON, where its ETag needed it. */
export type ResponseContent<T> = (
  | { value: T; text?: string; isAccepted?: boolean; isCreated?: boolean }
  | { file: FileContent }
  | { status: 204 }
) & {
  headers?: ResponseHeaders
}
/** A generator's parts are sent as they are made; see streamOf. */
type FileContent = string | Uint8Array<ArrayBuffer> | AsyncGenerator<Chunk, void>

/**
 * Declares an operation; the compiler checks its handler's input and answer against its schemas here. The result no longer
 * has the types of the input: the kernel passes to `handle` only what `validateRequest` made by the same schemas. Without
 * `toContent`, the handler itself gives the content.
 */
export function operation<
  Value,
  const Id extends string,
  Path extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Query extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Headers extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Body extends z.ZodMiniType = z.ZodMiniUndefined,
  Answer extends z.ZodMiniType = z.ZodMiniNever,
>(
  declared: Declared<Path, Query, Headers, Body, Answer, Value, Id> & {
    toContent(site: SiteContext, value: Value): ResponseContent<z.input<Answer>>
  },
): Operation<Value, Id>
export function operation<
  const Id extends string,
  Path extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Query extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Headers extends z.ZodMiniObject = z.ZodMiniObject<Record<never, never>>,
  Body extends z.ZodMiniType = z.ZodMiniUndefined,
  Answer extends z.ZodMiniType = z.ZodMiniNever,
>(
  declared: Declared<Path, Query, Headers, Body, Answer, ResponseContent<z.input<Answer>>, Id>,
): Operation<ResponseContent<z.input<Answer>>, Id>
export function operation(
  declared: Omit<Operation, 'toContent'> & { toContent?: Operation['toContent'] },
): Operation {
  return { toContent: itself, ...declared }
}

const itself = (_: SiteContext, content: ResponseContent<unknown>): ResponseContent<unknown> => content
