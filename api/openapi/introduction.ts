import { type ErrorCode, errorCodes } from '../../core/errors.ts';
import { publicCodeOf, statusOf } from '../edge/error-response.ts';

/** What the caller should make of each code. */
const meanings: Record<ErrorCode, string> = {
  VALIDATION_ERROR: 'Fields are missing or wrong; `errors` lists each with its path.',
  INVALID_JSON: 'The body is not JSON.',
  BAD_REQUEST: 'The request contradicts itself or the state of the record; `message` says how.',
  INVALID_IDEMPOTENCY_KEY: 'The header is not 1 to 255 printable ASCII characters.',
  MISSING_API_KEY: 'There is no `Authorization: Bearer …`.',
  INVALID_API_KEY: 'The key is unknown, was replaced, or is of the other kind.',
  UNAUTHENTICATED: 'There is no session, it has ended, or the password is wrong.',
  FORBIDDEN: 'The role of the user does not allow it.',
  PROJECT_DISABLED: 'The project may not send; `details.reason` says why.',
  SENDER_DOMAIN_REFUSED:
    'The domain of `from` is not registered or not verified; `details.reason` says which.',
  BILLING_LIMIT_EXCEEDED: "The project's monthly limit does not allow this many emails.",
  NOT_FOUND: 'The project has no such record.',
  CONFLICT: 'Something else stands in the way; `details` names it where it can.',
  IDEMPOTENCY_KEY_REUSED: 'A request with this key was made before; see *Retries*.',
  PAYLOAD_TOO_LARGE: 'The body is larger than `details.limitBytes`.',
  RATE_LIMIT_EXCEEDED: 'Wait for as many seconds as `Retry-After` says.',
  INTERNAL_SERVER_ERROR: 'A fault of the service. Logs and traces name `requestId`.',
  SERVICE_UNAVAILABLE: 'Try again, after `Retry-After` where it is set.',
};

const errorRow = (code: ErrorCode) => `| ${statusOf(code)} | \`${publicCodeOf(code)}\` | ${meanings[code]} |`;

const errorTable = errorCodes
  .toSorted((one, other) => statusOf(one) - statusOf(other))
  .map(errorRow)
  .join('\n');

/** The beginning of the reference, in Markdown: what holds for all endpoints. */
export const introduction = (serverUrl: string) =>
  `
Posthaste sends the email of your application and keeps its audience: contacts, segments, campaigns and workflows. Bodies
are JSON unless an endpoint says otherwise; timestamps are ISO 8601 in UTC.

## Keys

Each project has two keys. Send one as \`Authorization: Bearer <key>\`; the project follows from it.

| Key | Calls | Where to keep it |
|---|---|---|
| secret, \`sk_…\` | everything but \`POST /v1/track\` | on your server |
| public, \`pk_…\` | \`POST /v1/track\` only | anywhere, a web page included |

## The first email

\`\`\`bash
curl ${serverUrl}/v1/send \\
  -H 'Authorization: Bearer sk_…' \\
  -H 'Content-Type: application/json' \\
  -d '{
    "to": "ada@example.com",
    "from": { "name": "Example", "email": "hello@your-domain.example" },
    "subject": "Welcome, {{ firstName ?? \\"friend\\" }}",
    "body": "<p>Your code is <b>{{ code }}</b>.</p>",
    "data": { "firstName": "Ada", "code": { "value": "481516", "persistent": false } }
  }'
\`\`\`

The domain of \`from\` must be verified (*Domains*). Subject and body are [Liquid](https://shopify.github.io/liquid/);
\`??\` gives a fallback for a field that is missing or null. The filter \`date\` writes UTC and English names, and takes a time
zone: \`{{ paidAt | date: "%d.%m.%Y %H:%M", "Europe/Berlin" }}\`. The answer has the id of each email: \`GET /emails/{id}\` shows
what became of it, \`GET /activity\` what happens in the whole project.

## Data of contacts

\`data\` is patched: keys that you don't send keep their values.

| Value | Effect |
|---|---|
| text, number, boolean, list, object | stored on the contact, for templates and conditions |
| \`null\` | removes the key |
| \`""\` | ignored: the stored value stays |
| \`{ "value": …, "persistent": false }\` | for this email or event only, not stored |

The first value of a key determines its type in the project: number, boolean, date (\`2030-01-31\` or
\`2030-01-31T09:00:00Z\`) or text. Reserved keys, such as \`id\`, \`email\` and \`unsubscribeUrl\`, are dropped.

## Retries

Send an \`Idempotency-Key\` with \`POST /v1/send\` and \`POST /v1/track\`, such as the id of the order, and repeat the
request with the same key until it is answered. A repeat never runs twice: it is refused with 409 and
\`details.originalStatusCode\`.

| \`originalStatusCode\` | The first request |
|---|---|
| 200 | was accepted: you are done |
| \`null\` | is still running, or its process died: look at \`GET /emails\` or \`GET /events\` |
| 5xx | ended without a certain outcome: look there too |

A request that was refused (4xx) frees its key, so correct it and send it again. Keys belong to the project and are
remembered for 24 hours by default.

The requests that create a campaign, domain, execution, project, segment, template or workflow take an
\`Idempotency-Key\`, too. There, \`details.createdId\` of a repeat is the id of the record that the first request
created, and each path has keys of its own. Keys of requests that create a project belong to the user.

## Lists

Most lists have a \`cursor\`: pass it on to get the next page, until \`hasMore\` is false. Lists with \`page\` and \`pageSize\`
answer with \`total\` and \`totalPages\`.

## Errors

\`\`\`json
{
  "success": false,
  "error": {
    "code": "VALIDATION_ERROR",
    "message": "Request validation failed",
    "statusCode": 422,
    "requestId": "b00fd8c0-21ae-47ee-b2bc-104f18635136",
    "errors": [
      { "field": "subject", "message": "subject is required without a template", "code": "invalid_type" }
    ]
  },
  "timestamp": "2030-01-31T09:00:00.000Z"
}
\`\`\`

\`details\` and \`suggestion\` are set where they help. Creating a contact, template or segment without a required field is
answered with 400 and \`{ "error": "…" }\`.

| Status | Code | Meaning |
|---|---|---|
${errorTable}

## Limits

- 1,000 requests a minute and project by default: \`RateLimit-Remaining\` says how many are left.
- Bodies: 40 MB for \`POST /v1/send\`, 1 MB for \`POST /v1/track\`, 4 MB for other calls with a key, 1 MB or less
  without; files for import and upload have their own limits. A request that takes longer than 90 seconds to arrive is answered with 408.
- \`data\`: 64 KB per contact. \`POST /v1/send\`: 1,000 recipients; 10 attachments, 10 MB in total.
`.trim();
