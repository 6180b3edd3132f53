import type { Readable } from 'node:stream';
import type Koa from 'koa';
import type { z } from 'zod';
import type { ErrorCode } from '../../core/errors.ts';
import type { ApiProject } from '../../db/statements/access/find-callers.ts';
import type { SessionUser } from '../access/identity.ts';
import type { Services } from '../services/services.ts';
import type { EdgeContext } from './context.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Who may call a route.
 * - `secretKey`: the secret key, or the session cookie with `X-Project-Id` of one of the user's projects
 * - `publicKey`: the public key
 * - `user`: the session cookie
 * - `userOrSecretKey`: the session cookie alone, or the secret key
 * - `link`: anyone with the link, whose token the handler checks; from pages of any site, as mail programs do
 * - `none`: anyone, but another site's page may not send unsafe methods
 */
export type AuthKind = 'secretKey' | 'publicKey' | 'user' | 'userOrSecretKey' | 'link' | 'none';

/**
 * How the body is read.
 * - `json` (default): parsed, then validated
 * - `text`: any content type, decoded as UTF-8
 * - `form`: `application/x-www-form-urlencoded`
 */
export type BodyFormat = 'json' | 'text' | 'form';

/** JSON with `schema`, text or bytes with `contentType`, empty with neither. */
export interface ResponseDeclaration {
  description: string;
  schema?: z.ZodType;
  contentType?: string;
  example?: unknown;
}

export type Responses = Readonly<Record<number, ResponseDeclaration>>;

/** Renders an error instead of the envelope; the status is already set. */
export type ErrorPage = (ctx: EdgeContext) => void;

interface RouteDescription {
  /** Sections of the API reference; by default the section of the route's file in `routes/index.ts`. */
  tags?: readonly string[];
  summary: string;
  description?: string;
  bodyFormat?: BodyFormat;
  bodyExample?: unknown;
  /** The body is a multipart form with a file in this field, which the handler reads with `readUpload`. */
  uploadField?: string;
  /** Text fields of that form, for the OpenAPI document. */
  uploadTexts?: Readonly<Record<string, { type: 'string'; description: string }>>;
  /** Larger bodies get 413; default 4 MB with a key (a template's 512 KB can be 3 MB of JSON), 1 MB otherwise. */
  bodyLimitBytes?: number;
  /** Codes that the handler throws; those of the middleware chain are added automatically. */
  errors?: readonly ErrorCode[];
  refuseDisabledProject?: boolean;
  /**
   * Takes an `Idempotency-Key`.
   * - `byProject`: the project's routes of this kind share the keys
   * - `byPath`: each path has its own keys; a repeat names the record that was created
   */
  idempotent?: 'byProject' | 'byPath';
  /** Counts against `AUTH_RATE_LIMIT_PER_MINUTE` of the client address. */
  limitByAddress?: boolean;
  /** Any website may call it from a browser, with a key. The path must have no parameters. */
  crossOrigin?: boolean;
  /** A 400 answers `{ error }`, also for a missing required field. For creating contacts, segments and templates. */
  legacyErrors?: boolean;
  errorPage?: ErrorPage;
  /** For browsers alone; other clients get the envelope. */
  browserErrorPage?: ErrorPage;
  hidden?: boolean;
  /**
   * Where a request waits for its project's turn before its handler runs; by default among the project's other writes, or
   * its other reads, whose place it gives back when it waits for another or for ClickHouse (`leaveShortPlace`).
   * - `elsewhere`: waits for a provider, for an upload or for its turn to read or render more than for a lock of
   *   Postgres. It has places of its own, so that no other request waits for it.
   * - `byService`: its service takes the place among the writes, after the check of its Liquid, which may wait for the
   *   project's turn (`TemplateTurns`), or after a count; or one for each batch of long work.
   * - `none`: it holds no connection.
   *
   * All kinds of work and their places: `docs/architecture.md`, "Places and turns".
   */
  place?: 'elsewhere' | 'byService' | 'none';
  /** Called thousands of times a second: bypasses the router (`serveHotRoutes`). */
  hot?: boolean;
}

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

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface HandlerState<Call extends string, Auth extends AuthKind, Params, Query, Body, Headers> {
  requestId: string;
  project: ProjectOf<Auth>;
  user: UserOf<Auth>;
  params: Params extends z.ZodType ? z.output<Params> : Record<NamesIn<Call>, string>;
  query: Output<Query>;
  body: Output<Body>;
  headers: Output<Headers>;
}

type AnswerOf<Declaration> = Declaration extends { schema: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : Declaration extends { contentType: string }
    ? string | Buffer | Readable
    : never;

export interface HandlerContext<State, R extends Responses>
  extends Omit<Koa.ExtendableContext, 'body' | 'status'> {
  state: State;
  services: Services;
  isHttps: boolean;
  status: keyof R & number;
  body: AnswerOf<R[keyof R & number]>;
}

export interface Declaration<Auth, Params, Query, Body, Headers, Answers, Context extends { state: unknown }>
  extends RouteDescription {
  /** The secret key by default. */
  auth?: Auth;
  /** By default each parameter of the path is an id. */
  params?: Params;
  /** Values are strings, or lists of strings for a repeated name. */
  query?: Query;
  body?: Body;
  headers?: Headers;
  /** A single declared status is set automatically; among several, the handler chooses. */
  responses: Answers;
  /** @param state `ctx.state`: the caller and the validated parts of the request */
  handler: (ctx: Context, state: Context['state']) => Promise<void> | void;
}

export interface Route
  extends Declaration<AuthKind, z.ZodObject, z.ZodType, z.ZodType, z.ZodType, Responses, EdgeContext> {
  method: HttpMethod;
  path: string;
  auth: AuthKind;
  tags: readonly string[];
}
