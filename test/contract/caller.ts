import { readAnswer, type TestAnswer } from '../setup/answer.ts';
import type { Call } from './call.ts';
import type { ContractLine, KeyKind } from './line.ts';
import type { World } from './world.ts';

type Headers = Record<string, string>;

const bearer = (key: string): Headers => ({ Authorization: `Bearer ${key}` });

export function credentials(key: KeyKind, { project, owner, stack }: World): Headers {
  switch (key) {
    case 'sk':
      return bearer(project.secretKey);
    case 'pk':
      return bearer(project.publicKey);
    case 'session':
    case 'session or sk':
      return session(owner.cookie, stack.url);
    case 'link':
    case 'none':
      return {};
  }
}

export function session(cookie: string, url: string): Headers {
  return { Cookie: cookie, Origin: new URL(url).origin };
}

/** Sends only the credentials in `headers`. */
export async function ask(
  url: string,
  { line }: ContractLine,
  call: Call,
  headers: Headers = {},
): Promise<TestAnswer> {
  const [method = '', pattern = ''] = line.split(' ');
  const path = pattern.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(call.params?.[name] ?? ''));
  const { body, form } = call;
  const isText = typeof body === 'string';
  const answer = await fetch(`${url}${path}${call.query === undefined ? '' : `?${call.query}`}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...call.headers,
      ...headers,
    },
    ...(form !== undefined && { body: form }),
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  return readAnswer(answer);
}

export function parametersOf({ line }: ContractLine): string[] {
  return Array.from(line.matchAll(/:(\w+)/g), ([, name]) => name ?? '');
}

/** Path parameters that are ids of a project's records. */
export function idsOf(line: ContractLine): string[] {
  return isKeyed(line) ? parametersOf(line).filter((name) => line.names?.includes(name) !== true) : [];
}

export function isKeyed({ key }: ContractLine): boolean {
  return key !== 'none' && key !== 'link';
}

export function isUnsafe({ line }: ContractLine): boolean {
  return !line.startsWith('GET ');
}
