import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../../core/errors.ts';
import type { Role } from '../../db/entities/membership.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route.
 * - `secretKey`: the project's secret key, or the session cookie with `X-Project-Id` of a project of the user
 * - `publicKey`: the project's public key
 * - `user`: the session cookie
 * - `userOrSecretKey`: either the cookie alone or the secret key
 * - `link`: whoever has the link, whose token the handler checks; pages of any site may send it, as mail programs do
 * - `none`: anyone, but no page of another site may change something
 */
export type AuthKind = 'secretKey' | 'publicKey' | 'user' | 'userOrSecretKey' | 'link' | 'none';

/**
 * How a body arrives.
 * - `json` (default): parsed, then validated
 * - `text`: any content type, decoded as UTF-8
 * - `form`: `application/x-www-form-urlencoded`, parsed like a query
 * - `stream`: any content type, unread; the handler gets `request.stream` and bounds it itself
 */
export type BodyFormat = 'json' | 'text' | 'form' | 'stream';

/** The project that a request acts for, as the key cache knows it. */
export interface ApiProject {
  id: string;
  disabled: boolean;
  disabledReason: string | null;
  /** Whether suppressed contacts get no transactional email either. */
  suppressTransactional: boolean;
  /** Whether there is a limit of transactional emails, so that each send has to ask. */
  hasSendLimit: boolean;
}

/** The user of a session; `role` is the place in the request's project, null when there is none. */
export interface SessionUser {
  id: string;
  role: Role | null;
}

/** What a handler may know of the HTTP request besides its validated parts. */
export interface RequestFacts {
  /** Value of `X-Request-Id`. */
  id: string;
  method: string;
  /** Path and query as received. */
  url: string;
  /** Address of the client; behind a trusted proxy, the one that the proxy names. */
  clientAddress: string;
  headers: IncomingHttpHeaders;
  /** The unread body; of use only with `bodyFormat: 'stream'`. */
  stream: Readable;
}

export type ResponseHeaders = Record<string, string | string[]>;

/** One declared answer. With `schema` it is JSON, with `contentType` text or bytes, with neither it is empty. */
export interface ResponseDeclaration {
  description: string;
  schema?: z.ZodType;
  contentType?: string;
  example?: unknown;
}

export type Responses = Readonly<Record<number, ResponseDeclaration>>;

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type ProjectOf<Auth extends AuthKind> = Auth extends 'secretKey' | 'publicKey'
  ? ApiProject
  : Auth extends 'userOrSecretKey'
    ? ApiProject | null
    : null;

type UserOf<Auth extends AuthKind> = Auth extends 'user'
  ? SessionUser
  : Auth extends 'secretKey' | 'userOrSecretKey'
    ? SessionUser | null
    : null;

/** What a handler gets: the validated parts of the request, who sent it, and the services. */
export interface HandlerInput<S, Auth extends AuthKind, Params, Query, Body, Headers> {
  params: Output<Params>;
  query: Output<Query>;
  body: Output<Body>;
  headers: Output<Headers>;
  project: ProjectOf<Auth>;
  user: UserOf<Auth>;
  services: S;
  request: RequestFacts;
}

type BodyOf<Declaration> = Declaration extends { schema: infer Schema extends z.ZodType }
  ? { body: z.output<Schema> }
  : Declaration extends { contentType: string }
    ? { body: string | Uint8Array | Readable }
    : { body?: undefined };

/** What a handler may answer: one of the declared statuses with the body that belongs to it. */
export type HandlerResult<R extends Responses> = {
  [Status in keyof R & number]: { status: Status; headers?: ResponseHeaders } & BodyOf<R[Status]>;
}[keyof R & number];

export interface RouteDescription {
  method: HttpMethod;
  /** find-my-way syntax: `/contacts/:id`. */
  path: string;
  auth: AuthKind;
  tags: readonly string[];
  summary: string;
  description?: string;
  bodyFormat?: BodyFormat;
  /** Example of a request body for the documentation. */
  bodyExample?: unknown;
  /** Of a `stream` that is a multipart form: the field with the file, for the documentation. */
  uploadField?: string;
  /** Largest body in bytes, 413 beyond; default 40 MB with a key, 1 MB otherwise. */
  bodyLimitBytes?: number;
  /** Codes that the handler throws; what the edge itself answers is added by itself. */
  errors?: readonly ErrorCode[];
  /** 403 `PROJECT_DISABLED` for a disabled project. */
  refuseDisabledProject?: boolean;
  /** Takes the header `Idempotency-Key`. */
  idempotent?: boolean;
  /** Counts against `AUTH_RATE_LIMIT_PER_MINUTE` of the client's address. */
  limitByAddress?: boolean;
  /** Any website may call it from a browser, with a key. */
  crossOrigin?: boolean;
  /** A missing required field is 400 `{ error }`, and so is every other 400. For create contact, segment and template. */
  legacyErrors?: boolean;
  /** Makes the page that says that something failed, where people and not programs read the answer. */
  errorPage?: (status: number, request: RequestFacts) => { body: string; headers: ResponseHeaders };
  /** Left out of the OpenAPI document. */
  hidden?: boolean;
}

export interface RouteDefinition<
  S,
  Auth extends AuthKind,
  Params extends z.ZodObject | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
  Headers extends z.ZodType | undefined,
  R extends Responses,
> extends RouteDescription {
  auth: Auth;
  params?: Params;
  /** Values are strings, or lists of strings when a name is repeated. */
  query?: Query;
  body?: Body;
  /** Names in lower case. */
  headers?: Headers;
  responses: R;
  handler: (input: HandlerInput<S, Auth, Params, Query, Body, Headers>) => Promise<HandlerResult<NoInfer<R>>>;
}

/** Handler input and result once the types of the single route are forgotten. */
export interface AnyHandlerInput<S> {
  params: unknown;
  query: unknown;
  body: unknown;
  headers: unknown;
  project: ApiProject | null;
  user: SessionUser | null;
  services: S;
  request: RequestFacts;
}

export interface AnyHandlerResult {
  status: number;
  body?: unknown;
  headers?: ResponseHeaders;
}

/** A declared route, as the router, the pipeline and the OpenAPI document see it. */
export interface Route<S> extends RouteDescription {
  params?: z.ZodObject;
  query?: z.ZodType;
  body?: z.ZodType;
  headers?: z.ZodType;
  responses: Responses;
  handler: (input: AnyHandlerInput<S>) => Promise<AnyHandlerResult> | AnyHandlerResult;
}

/** The names of the parameters of a path: `/contacts/:id` → `['id']`. */
function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(/:(\w+)/g), (match) => match[1] ?? '');
}

/**
 * Makes the `defineRoute` of an application whose handlers get the services `S`.
 *
 * @throws Error at start when the path and the schema of its parameters don't name the same parameters.
 */
export function createDefineRoute<S>() {
  return function defineRoute<
    Auth extends AuthKind,
    const R extends Responses,
    Params extends z.ZodObject | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
    Headers extends z.ZodType | undefined = undefined,
  >(definition: RouteDefinition<S, Auth, Params, Query, Body, Headers, R>): Route<S> {
    const inPath = pathParameters(definition.path).sort().join();
    const inSchema = Object.keys(definition.params?.shape ?? {})
      .sort()
      .join();
    if (inPath !== inSchema) {
      throw new Error(`${definition.method} ${definition.path}: path and params name different parameters`);
    }
    // as: the pipeline hands a handler only what the schemas beside it let through.
    return definition as unknown as Route<S>;
  };
}
