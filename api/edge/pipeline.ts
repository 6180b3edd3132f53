import { Readable } from 'node:stream';
import type { z } from 'zod';
import { DomainError, validationFailed } from '../../core/errors.ts';
import { isIdempotencyKey } from '../../core/idempotency-key.ts';
import { addressSubject } from './address-subject.ts';
import type { Authenticator, Identity } from './authenticate.ts';
import { checkResponse } from './check-response.ts';
import { toDomainError } from './error-response.ts';
import { statusOf } from './error-status.ts';
import type { Exchange } from './exchange.ts';
import type { Idempotency } from './idempotency.ts';
import type { KeyClaim } from './idempotency-keys.ts';
import { parseJson } from './parse-json.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { readBody } from './read-body.ts';
import { jsonReply, type Reply } from './reply.ts';
import type { AnyHandlerResult, ApiProject, Route } from './route.ts';
import { parsePairs, parseQuery, validate, validateWithLegacyErrors } from './validate.ts';

const keyedBodyLimitBytes = 40 * 1024 * 1024;
const otherBodyLimitBytes = 1024 * 1024;

export interface PipelineOptions<S> {
  services: S;
  authenticate: Authenticator;
  /** Null where the limit is off. */
  projectLimiter: RateLimiter | null;
  userLimiter: RateLimiter | null;
  addressLimiter: RateLimiter | null;
  idempotency: Idempotency;
  /** Check every answer against its declaration. */
  validateResponses: boolean;
  /** Told of errors that nobody is answered with. */
  warn: (message: string, error: unknown, exchange: Exchange) => void;
}

interface ValidInput {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
}

export type PathParameters = Readonly<Record<string, string | undefined>>;
export type RoutePipeline = (exchange: Exchange, params: PathParameters) => Promise<Reply>;

/**
 * Makes the function that takes a request of one route through all checks to its handler. The order is part of
 * the contract: key, disabled project, rate limit, form of the Idempotency-Key, path, query, body, claim of the
 * key, handler.
 */
export function createPipeline<S>(options: PipelineOptions<S>): (route: Route<S>) => RoutePipeline {
  const { services, authenticate, projectLimiter, userLimiter, addressLimiter, idempotency } = options;

  /** Counts the request; the answer says what is left, whatever else it says. */
  async function count(exchange: Exchange, limiter: RateLimiter | null, subject: string): Promise<void> {
    if (limiter === null) return;
    const state = limiter.take(subject);
    exchange.rateLimit = state instanceof Promise ? await state : state;
  }

  async function settle(claim: KeyClaim, status: number, exchange: Exchange): Promise<void> {
    try {
      await idempotency.settle(claim, status);
    } catch (error) {
      // The answer stands; only the status that a repeat is told of is missing.
      options.warn('An Idempotency-Key could not be settled', error, exchange);
    }
  }

  async function runOnce(
    exchange: Exchange,
    projectId: string,
    key: string,
    run: () => Promise<AnyHandlerResult>,
  ): Promise<AnyHandlerResult> {
    const claim = await idempotency.claim(projectId, key, `${exchange.method} ${exchange.route}`);
    try {
      const result = await run();
      await settle(claim, result.status, exchange);
      return result;
    } catch (error) {
      await settle(claim, isRefusal(error) ? refusedStatus : statusOf(toDomainError(error).code), exchange);
      throw error;
    }
  }

  return (route) => {
    const bodyFormat = route.bodyFormat ?? 'json';
    const takesKey = route.auth === 'secretKey' || route.auth === 'publicKey';
    const bodyLimitBytes = route.bodyLimitBytes ?? (takesKey ? keyedBodyLimitBytes : otherBodyLimitBytes);
    const check = route.legacyErrors ? validateWithLegacyErrors : validate;
    const name = `${route.method} ${route.path}`;

    function parseBody(bytes: Buffer): unknown {
      switch (bodyFormat) {
        case 'json':
          return bytes.length === 0 ? {} : parseJson(bytes);
        case 'form':
          return parsePairs(bytes.toString('utf8'));
        case 'text':
        case 'stream':
          return bytes.toString('utf8');
      }
    }

    async function bodyOf(exchange: Exchange, schema: z.ZodType): Promise<unknown> {
      if (bodyFormat === 'stream') return undefined;
      return check(schema, await readBody(exchange, bodyFormat, bodyLimitBytes, parseBody));
    }

    async function handle(input: Parameters<Route<S>['handler']>[0]): Promise<AnyHandlerResult> {
      const result = await route.handler(input);
      if (options.validateResponses) checkResponse(name, route.responses, result);
      return result;
    }

    /** Key, disabled project, rate limit. */
    async function admit(exchange: Exchange): Promise<Identity> {
      const found = authenticate(exchange, route.auth);
      const identity = found instanceof Promise ? await found : found;
      const { project } = identity;
      if (project !== null) {
        exchange.projectId = project.id;
        await count(exchange, projectLimiter, project.id);
        if (route.refuseDisabledProject && project.disabled) throw projectDisabled(project);
      } else if (identity.user !== null) {
        await count(exchange, userLimiter, `user ${identity.user.id}`);
      } else if (route.limitByAddress) {
        await count(exchange, addressLimiter, addressSubject(exchange.clientAddress));
      }
      if (exchange.rateLimit?.allowed === false) throw tooManyRequests(exchange.rateLimit.resetSeconds);
      return identity;
    }

    /** Path, query, headers, body. */
    async function readInput(exchange: Exchange, rawParams: PathParameters): Promise<ValidInput> {
      return {
        params: route.params && validate(route.params, storable(rawParams)),
        query: route.query && validate(route.query, parseQuery(exchange.url)),
        headers: route.headers && validate(route.headers, exchange.headers),
        body: route.body && (await bodyOf(exchange, route.body)),
      };
    }

    return async (exchange, rawParams) => {
      const { project, user } = await admit(exchange);
      const key = route.idempotent ? idempotencyKeyOf(exchange) : undefined;
      const { params, query, headers, body } = await readInput(exchange, rawParams);
      const input = { params, query, body, headers, project, user, services, request: exchange };
      const result =
        key === undefined || project === null
          ? await handle(input)
          : await runOnce(exchange, project.id, key, () => handle(input));
      return toReply(route, result);
    };
  };
}

/** Settles a claim as a refusal does, which leaves the key free. */
const refusedStatus = statusOf('RATE_LIMIT_EXCEEDED');

/** Whether nothing was tried and the caller was asked to come again, with the same key. */
function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.retryAfterSeconds !== undefined;
}

function tooManyRequests(seconds: number): DomainError {
  return new DomainError('RATE_LIMIT_EXCEEDED', 'Too many requests', {
    suggestion: `Try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
}

function projectDisabled(project: ApiProject): DomainError {
  return new DomainError('PROJECT_DISABLED', 'This project is disabled', {
    details: { reason: project.disabledReason },
  });
}

function idempotencyKeyOf(exchange: Exchange): string | undefined {
  const key = exchange.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && isIdempotencyKey(key)) return key;
  throw new DomainError(
    'INVALID_IDEMPOTENCY_KEY',
    'The Idempotency-Key must be 1 to 255 printable ASCII characters',
  );
}

/** @throws DomainError `VALIDATION_ERROR` when a parameter holds NUL, which Postgres can't compare with */
function storable(params: PathParameters): PathParameters {
  for (const [field, value] of Object.entries(params)) {
    if (value?.includes('\0')) {
      throw validationFailed([{ field, message: 'Must not contain NUL', code: 'invalid_string' }]);
    }
  }
  return params;
}

function toReply<S>(route: Route<S>, { status, body, headers }: AnyHandlerResult): Reply {
  if (body === undefined) return { status, headers };
  const contentType = route.responses[status]?.contentType;
  if (contentType === undefined) return jsonReply(status, JSON.stringify(body), headers);
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable) {
    return { status, contentType, body, headers };
  }
  throw new Error(`${route.method} ${route.path} must answer ${contentType} with text, bytes or a stream`);
}
