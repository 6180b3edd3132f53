import { type ErrorCode, errorCodes } from '../../core/errors.ts';
import { publicCodeOf, statusOf } from '../edge/error-response.ts';
import type { AuthKind, ResponseDeclaration, Route } from '../edge/route.ts';
import { errorEnvelopeSchema, legacyErrorSchema } from './error-schemas.ts';
import { answerHeaders, headersOf, takesKey, takesSession } from './headers.ts';
import { introduction } from './introduction.ts';
import { createSchemaCollector, type JsonSchema } from './schemas.ts';
import { presentSections } from './sections.ts';

export interface OpenapiOptions {
  routes: readonly Route[];
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

const keyHeaders = {
  byProject: idempotencyKeyHeader,
  byPath: {
    ...idempotencyKeyHeader,
    description:
      'Makes a repeat of the request a 409 instead of a second record; `details.createdId` is the id of the record ' +
      'that the first request created. Kept 24 hours by default.',
  },
};

export function buildOpenapi({ routes, serverUrl, version }: OpenapiOptions): JsonSchema {
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
    info: { title: 'Posthaste API', version, description: introduction(serverUrl) },
    servers: [{ url: serverUrl }],
    ...presentSections(tags),
    paths,
    components: { schemas: collector.components, headers: answerHeaders, securitySchemes },
  };
}

function operationOf(route: Route, collector: Collector): JsonSchema {
  const parameters = parametersOf(route, collector);
  return {
    operationId: operationId(route),
    tags: route.tags,
    summary: route.summary,
    description: route.description,
    security: securityOf[route.auth],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: bodyOf(route, collector),
    responses: responsesOf(route, collector),
  };
}

/** `POST /contacts/:id/tags` → `postContactsByIdTags`. */
function operationId({ method, path }: Route): string {
  const words = path.replaceAll(':', 'by/').match(/[A-Za-z0-9]+/g) ?? [];
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(route: Route, collector: Collector): JsonSchema[] {
  return [
    ...membersOf(route.params, 'path', collector),
    ...membersOf(route.query, 'query', collector),
    ...membersOf(route.headers, 'header', collector),
    ...(route.idempotent ? [keyHeaders[route.idempotent]] : []),
  ];
}

function membersOf(
  schema: Route['query'],
  location: 'path' | 'query' | 'header',
  collector: Collector,
): JsonSchema[] {
  if (schema === undefined) return [];
  const added = collector.add(schema, 'input');
  const object =
    typeof added.$ref === 'string' ? collector.components[added.$ref.split('/').at(-1) ?? ''] : added;
  const required = Array.isArray(object?.required) ? object.required : [];
  return Object.entries(object?.properties ?? {}).map(([name, { description, ...member }]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    description,
    schema: member,
    ...(location === 'query' && member.type === 'object' ? { style: 'deepObject', explode: true } : {}),
  }));
}

const contentTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
};

function bodyOf(route: Route, collector: Collector): JsonSchema | undefined {
  const { body, bodyFormat = 'json', bodyExample, uploadField, uploadTexts } = route;
  if (uploadField !== undefined) {
    // Client generators recognize a file by `format` or by `contentMediaType`.
    const file = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
    const properties = { [uploadField]: file, ...uploadTexts };
    const schema = { type: 'object', required: [uploadField], properties };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (body === undefined) return undefined;
  const media = { schema: collector.add(body, 'input'), example: bodyExample };
  return { required: !body.safeParse({}).success, content: { [contentTypes[bodyFormat]]: media } };
}

function responsesOf(route: Route, collector: Collector): JsonSchema {
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
  const text = { type: 'string', ...(contentType?.startsWith('text/') ? {} : { format: 'binary' }) };
  const media = { schema: schema ? collector.add(schema, 'output') : text, example };
  return { description, content: { [contentType ?? 'application/json']: media } };
}

// Declared codes plus those of the middleware chain.
function errorsOf(route: Route): ErrorCode[] {
  const ofChain: [applies: unknown, ...codes: ErrorCode[]][] = [
    [takesKey(route), 'MISSING_API_KEY', 'INVALID_API_KEY'],
    [takesSession(route), 'UNAUTHENTICATED', 'FORBIDDEN'],
    [takesKey(route) || takesSession(route), 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
    [route.limitByAddress, 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
    // The session may name a project that the user is not a member of.
    [route.auth === 'secretKey', 'NOT_FOUND'],
    [route.refuseDisabledProject, 'PROJECT_DISABLED'],
    [route.idempotent, 'INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_KEY_REUSED'],
    [route.params ?? route.query ?? route.body, 'VALIDATION_ERROR'],
    [route.body ?? route.uploadField, 'PAYLOAD_TOO_LARGE'],
    [route.body && (route.bodyFormat ?? 'json') === 'json', 'INVALID_JSON'],
    [route.legacyErrors, 'BAD_REQUEST'],
  ];
  const codes = ofChain.flatMap(([applies, ...added]) => (applies ? added : []));
  const all = new Set<ErrorCode>([...codes, ...(route.errors ?? []), 'INTERNAL_SERVER_ERROR']);
  return errorCodes.filter((code) => all.has(code));
}

function errorResponse(
  route: Route,
  status: number,
  codes: readonly ErrorCode[],
  collector: Collector,
): JsonSchema {
  const listed = [...new Set(codes.map(publicCodeOf))].map((code) => `\`${code}\``).join(', ');
  if (route.errorPage !== undefined) {
    return { description: listed, content: { 'text/html': { schema: { type: 'string' } } } };
  }
  const isLegacy = route.legacyErrors === true && status === 400;
  const schema = collector.add(isLegacy ? legacyErrorSchema : errorEnvelopeSchema, 'output');
  const rule = isLegacy ? '. A required field that is missing, null or empty comes before every 422.' : '';
  return { description: `${listed}${rule}`, content: { 'application/json': { schema } } };
}
