import { type ErrorCode, errorCodes } from '../../core/errors.ts';
import { publicCodeOf, statusOf } from './error-status.ts';
import { errorEnvelopeSchema, legacyErrorSchema } from './openapi-error-schemas.ts';
import { answerHeaders, headersOf, takesKey } from './openapi-headers.ts';
import { createSchemaCollector, type JsonSchema } from './openapi-schemas.ts';
import type { AuthKind, ResponseDeclaration, Route } from './route.ts';

export interface OpenapiOptions<S> {
  routes: readonly Route<S>[];
  serverUrl: string;
  version: string;
}

type Collector = ReturnType<typeof createSchemaCollector>;

const securityOf: Record<AuthKind, JsonSchema[]> = {
  secretKey: [{ secretKey: [] }, { sessionCookie: [], projectId: [] }],
  publicKey: [{ publicKey: [] }],
  user: [{ sessionCookie: [] }],
  userOrSecretKey: [{ sessionCookie: [] }, { secretKey: [] }],
  link: [],
  none: [],
};

const securitySchemes = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The secret key of the project (`sk_…`): everything but `POST /v1/track`.',
  },
  publicKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The public key of the project (`pk_…`): only `POST /v1/track`. It may be shown in a browser.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'token',
    description: 'Set by `POST /auth/login`. Changes also need an `Origin` of the same site.',
  },
  projectId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Project-Id',
    description: 'The project that a request with the cookie is for.',
  },
};

const idempotencyKeyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes a repeat of the request a 409 instead of a second run. Kept 24 hours by default.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
};

/** The OpenAPI 3.1 document of the declared routes; hidden ones are left out. */
export function buildOpenapi<S>({ routes, serverUrl, version }: OpenapiOptions<S>): JsonSchema {
  const collector = createSchemaCollector();
  collector.add(errorEnvelopeSchema, 'output');
  const paths: Record<string, JsonSchema> = {};
  const tags = new Set<string>();
  for (const route of routes) {
    if (route.hidden) continue;
    for (const tag of route.tags) tags.add(tag);
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, collector) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Posthaste API',
      version,
      description:
        'Transactional email, event tracking, contacts, templates, segments, campaigns and workflows. ' +
        'The project is derived from the API key. Timestamps are ISO 8601 in UTC.',
    },
    servers: [{ url: serverUrl }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: { schemas: collector.components, headers: answerHeaders, securitySchemes },
  };
}

function operationOf<S>(route: Route<S>, collector: Collector): JsonSchema {
  const operation: JsonSchema = {
    operationId: operationId(route),
    tags: route.tags,
    summary: route.summary,
    security: securityOf[route.auth],
  };
  if (route.description !== undefined) operation.description = route.description;
  const parameters = parametersOf(route, collector);
  if (parameters.length > 0) operation.parameters = parameters;
  const body = bodyOf(route, collector);
  if (body !== undefined) operation.requestBody = body;
  operation.responses = responsesOf(route, collector);
  return operation;
}

/** `POST /contacts/:id/tags` → `postContactsByIdTags`. */
function operationId<S>({ method, path }: Route<S>): string {
  const words = path
    .replaceAll(/:(\w+)/g, 'by/$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf<S>(route: Route<S>, collector: Collector): JsonSchema[] {
  const parameters = [
    ...membersOf(route.params && collector.add(route.params, 'input'), 'path', collector),
    ...membersOf(route.query && collector.add(route.query, 'input'), 'query', collector),
    ...membersOf(route.headers && collector.add(route.headers, 'input'), 'header', collector),
  ];
  return route.idempotent ? [...parameters, idempotencyKeyHeader] : parameters;
}

function membersOf(
  schema: JsonSchema | undefined,
  location: 'path' | 'query' | 'header',
  collector: Collector,
): JsonSchema[] {
  const reference = typeof schema?.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  const object = reference === undefined ? schema : collector.components[reference];
  if (typeof object?.properties !== 'object' || object.properties === null) return [];
  const required = Array.isArray(object.required) ? object.required : [];
  return Object.entries(object.properties).map(([name, member]: [string, JsonSchema]) => {
    const { description, ...rest } = member;
    return {
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function bodyOf<S>(route: Route<S>, collector: Collector): JsonSchema | undefined {
  const format = route.bodyFormat ?? 'json';
  if (format === 'stream') {
    const field = route.uploadField;
    const file = { type: 'string', contentMediaType: 'application/octet-stream' };
    const schema =
      field === undefined
        ? { type: 'object' }
        : { type: 'object', required: [field], properties: { [field]: file } };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (route.body === undefined) return undefined;
  const schema = collector.add(route.body, 'input');
  const contentTypes = {
    json: 'application/json',
    form: 'application/x-www-form-urlencoded',
    text: 'text/plain',
  };
  const media = route.bodyExample === undefined ? { schema } : { schema, example: route.bodyExample };
  return { required: !route.body.safeParse({}).success, content: { [contentTypes[format]]: media } };
}

function responsesOf<S>(route: Route<S>, collector: Collector): JsonSchema {
  const responses: Record<string, JsonSchema> = {};
  for (const [status, declared] of Object.entries(route.responses)) {
    responses[status] = { headers: headersOf(route, Number(status)), ...responseOf(declared, collector) };
  }
  const byStatus = Map.groupBy(errorsOf(route), statusOf);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[status] ??= {
      headers: headersOf(route, status),
      ...errorResponse(route, status, codes, collector),
    };
  }
  return responses;
}

function responseOf(declared: ResponseDeclaration, collector: Collector): JsonSchema {
  const { description, schema, contentType, example } = declared;
  if (schema === undefined && contentType === undefined) return { description };
  const media: JsonSchema =
    schema === undefined ? { schema: { type: 'string' } } : { schema: collector.add(schema, 'output') };
  if (example !== undefined) media.example = example;
  return { description, content: { [contentType ?? 'application/json']: media } };
}

/** The codes that the route declares, and those that its checks can answer with. */
function errorsOf<S>(route: Route<S>): ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  const add = (...more: ErrorCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (takesKey(route))
    add('MISSING_API_KEY', 'INVALID_API_KEY', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE');
  const takesSession =
    route.auth === 'secretKey' || route.auth === 'user' || route.auth === 'userOrSecretKey';
  if (takesSession) add('UNAUTHENTICATED', 'FORBIDDEN', 'SERVICE_UNAVAILABLE');
  // A session may name a project of others.
  if (route.auth === 'secretKey') add('NOT_FOUND');
  if (route.limitByAddress || route.auth === 'user' || route.auth === 'userOrSecretKey')
    add('RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE');
  if (route.refuseDisabledProject) add('PROJECT_DISABLED');
  if (route.idempotent) add('INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED');
  if (route.params ?? route.query ?? route.body) add('VALIDATION_ERROR');
  if (route.body ?? route.bodyFormat) add('PAYLOAD_TOO_LARGE');
  if (route.body && (route.bodyFormat ?? 'json') === 'json') add('INVALID_JSON');
  if (route.legacyErrors) add('BAD_REQUEST');
  add('INTERNAL_SERVER_ERROR');
  return errorCodes.filter((code) => codes.has(code));
}

function errorResponse<S>(
  route: Route<S>,
  status: number,
  codes: readonly ErrorCode[],
  collector: Collector,
): JsonSchema {
  const names = [...new Set(codes.map(publicCodeOf))];
  const isLegacy = route.legacyErrors === true && status === 400;
  const schema = collector.add(isLegacy ? legacyErrorSchema : errorEnvelopeSchema, 'output');
  const listed = names.map((code) => `\`${code}\``).join(', ');
  const description = isLegacy
    ? `${listed}. A required field that is missing, null or empty comes before every 422.`
    : listed;
  return route.errorPage === undefined
    ? { description, content: { 'application/json': { schema } } }
    : { description, content: { 'text/html': { schema: { type: 'string' } } } };
}
