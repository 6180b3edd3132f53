import type { TestSender } from './sender.ts';

/** A condition of one group whose filters all have to hold. */
export const where = (...filters: object[]) => ({ logic: 'AND', groups: [{ filters }] });
export const planIs = (value: string) => where({ field: 'data.plan', operator: 'equals', value });
export const memberOf = (id: string) => where({ field: `segment.${id}`, operator: 'memberOfSegment' });
export const notMemberOf = (id: string) => where({ field: `segment.${id}`, operator: 'notMemberOfSegment' });

/** Addresses that sort in the order of their numbers. */
export const address = (index: number) => `reader-${String(index).padStart(2, '0')}@example.com`;

/** Creates or changes the contact of a number. @returns its id */
export async function putContact(sender: TestSender, index: number, plan: string): Promise<string> {
  const { status, body } = await sender.post('/contacts', { email: address(index), data: { plan } });
  if (status > 201) throw new Error(JSON.stringify(body));
  return body.id;
}

export interface TestSegment {
  id: string;
  slug: string;
  memberCount: number;
}

/** Creates a segment. */
export async function createSegment(sender: TestSender, values: object): Promise<TestSegment> {
  const { status, body } = await sender.post('/segments', { name: 'Segment', ...values });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
