import { DomainError } from '../../core/errors.ts';

/**
 * @param kind what the names are, for the message
 * @throws DomainError `BAD_REQUEST` for any other name
 */
export function readName<Name extends string>(
  text: string | undefined,
  names: readonly Name[],
  kind: string,
): Name | undefined {
  if (text === undefined) return undefined;
  const name = names.find((one) => one === text);
  if (name !== undefined) return name;
  throw new DomainError('BAD_REQUEST', `Unknown ${kind} ${JSON.stringify(text)}`, {
    suggestion: `Use one of ${names.join(', ')}.`,
  });
}
