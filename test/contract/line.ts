import type { Call } from './call.ts';
import type { World } from './world.ts';

/**
 * Who may call: `sk` the secret key, or the session with `X-Project-Id`; `pk` the public key; `session` the
 * cookie; `session or sk` either; `none` and `link` anyone.
 */
export type KeyKind = 'sk' | 'pk' | 'session' | 'session or sk' | 'link' | 'none';

export interface Refusal {
  when: string;
  status: number;
  code?: string;
  issue?: string;
  change: (valid: Call, world: World) => Call | Promise<Call>;
}

export interface ContractLine {
  line: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  key: KeyKind;
  success: number;
  /** Dotted names in the response body; without them it must be empty, unless `type` is set. */
  answer?: readonly string[];
  /** Content type of a response that is not JSON. */
  type?: string;
  /** A valid request; the records it refers to are created for it. */
  valid: (world: World) => Call | Promise<Call>;
  required?: readonly string[];
  /** Status when a required field is missing; default 422. */
  missing?: 400 | 422;
  /** The 400s of this line have the body `{ error }`. */
  simpleErrors?: boolean;
  /** Body fields (dotted names) that hold an id, with the other project's record to try in each. */
  bodyIds?: Readonly<Record<string, (theirs: World) => Promise<string>>>;
  /** Path parameters that are not ids: free names and tokens. */
  names?: readonly string[];
  role?: 'OWNER' | 'ADMIN';
  notWhileDisabled?: boolean;
  refusals?: readonly Refusal[];
}

/** Changes fields of a JSON body; undefined removes a field. */
export const withBody =
  (changes: Record<string, unknown>) =>
  (valid: Call): Call => ({ ...valid, body: { ...Object(valid.body), ...changes } });

/** Changes the field with a dotted name; undefined removes it. */
export const withField =
  (name: string, value: unknown) =>
  (valid: Call): Call => ({ ...valid, body: changed(valid.body, name.split('.'), value) });

function changed(object: unknown, [first = '', ...rest]: string[], value: unknown): object {
  const before = Object(object)[first];
  return { ...Object(object), [first]: rest.length === 0 ? value : changed(before, rest, value) };
}

export const withQuery =
  (query: string) =>
  (valid: Call): Call => ({ ...valid, query });

export const withHeaders =
  (headers: Record<string, string>) =>
  (valid: Call): Call => ({ ...valid, headers: { ...valid.headers, ...headers } });

export const under = (prefix: string, names: readonly string[]) => names.map((name) => `${prefix}.${name}`);

/** `valid` overwrites a change that its sender has not seen. */
export const stale: Refusal = {
  when: 'it has changed since the `updatedAt` of If-Match',
  status: 409,
  code: 'CONFLICT',
  change: withHeaders({ 'If-Match': '"2020-01-01T00:00:00.000Z"' }),
};

const malformedKey = (when: string, key: string): Refusal => ({
  when,
  status: 400,
  code: 'INVALID_IDEMPOTENCY_KEY',
  change: withHeaders({ 'Idempotency-Key': key }),
});
export const malformedKeys: Refusal[] = [
  malformedKey('the Idempotency-Key is empty', ''),
  malformedKey('the Idempotency-Key is longer than 255 characters', 'k'.repeat(256)),
  malformedKey('the Idempotency-Key is not printable ASCII', 'caf\u00e9'),
];
