import type { Call } from './call.ts';
import type { World } from './world.ts';

/**
 * Who may call: `sk` the secret key, or the session with `X-Project-Id`; `pk` the public key; `session` the cookie;
 * `session or sk` either; `none` and `link` anyone.
 */
export type KeyKind = 'sk' | 'pk' | 'session' | 'session or sk' | 'link' | 'none';

/** A request that is refused: the valid one with a change. */
export interface Refusal {
  when: string;
  status: number;
  code?: string;
  /** Field-level code that has to be among `errors`. */
  issue?: string;
  change: (valid: Call, world: World) => Call | Promise<Call>;
}

/** One line of the contract: a method and a path, and what holds for it. */
export interface ContractLine {
  line: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  key: KeyKind;
  /** Status of a valid request. */
  success: number;
  /** Dotted names that the body of the answer has; without them it has to be empty, unless it is no JSON. */
  answer?: readonly string[];
  /** What the body of the answer is, when it is no JSON. */
  type?: string;
  /** A valid request; what it names is made for it. */
  valid: (world: World) => Call | Promise<Call>;
  /** Fields of the body that must be there. */
  required?: readonly string[];
  /** Status when one of them is missing; 422 unless said otherwise. */
  missing?: 400 | 422;
  /** The 400s of this line have the body `{ error }`. */
  simpleErrors?: boolean;
  /** Fields of the body, by dotted names, that name something by its id, and what of another project they are tried with. */
  bodyIds?: Readonly<Record<string, (theirs: World) => Promise<string>>>;
  /** Parameters of the path that are no ids: free names and tokens. */
  names?: readonly string[];
  /** Least role of a member who may call. */
  role?: 'OWNER' | 'ADMIN';
  /** Refused while the project is disabled. */
  notWhileDisabled?: boolean;
  refusals?: readonly Refusal[];
}

/** A change of some fields of a JSON body; undefined takes a field away. */
export const withBody =
  (changes: Record<string, unknown>) =>
  (valid: Call): Call => ({ ...valid, body: { ...Object(valid.body), ...changes } });

/** A change of the field with a dotted name; undefined takes it away. */
export const withField =
  (name: string, value: unknown) =>
  (valid: Call): Call => ({ ...valid, body: changed(valid.body, name.split('.'), value) });

function changed(object: unknown, [first = '', ...rest]: string[], value: unknown): object {
  const before = Object(object)[first];
  return { ...Object(object), [first]: rest.length === 0 ? value : changed(before, rest, value) };
}

/** The same query in place of the valid one. */
export const withQuery =
  (query: string) =>
  (valid: Call): Call => ({ ...valid, query });

export const withHeaders =
  (headers: Record<string, string>) =>
  (valid: Call): Call => ({ ...valid, headers: { ...valid.headers, ...headers } });

/** Names with the same beginning. */
export const under = (prefix: string, names: readonly string[]) => names.map((name) => `${prefix}.${name}`);
