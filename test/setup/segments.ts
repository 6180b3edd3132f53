import type { RequiredEntityData } from '@mikro-orm/core';
import { Segment } from '../../db/entities/segment.ts';
import type { Em } from '../../db/orm.ts';
import type { TestSender } from './sender.ts';

export const where = (...filters: object[]) => ({ logic: 'AND', groups: [{ filters }] });
export const planIs = (value: string) => where({ field: 'data.plan', operator: 'equals', value });
export const memberOf = (id: string) => where({ field: `segment.${id}`, operator: 'memberOfSegment' });
export const notMemberOf = (id: string) => where({ field: `segment.${id}`, operator: 'notMemberOfSegment' });

/** Zero-padded, so that addresses sort by number. */
export const address = (index: number) => `reader-${String(index).padStart(2, '0')}@example.com`;

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

export async function createSegment(sender: TestSender, values: object): Promise<TestSegment> {
  const { status, body } = await sender.post('/segments', { name: 'Segment', ...values });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

export async function insertSegment(em: Em, values: RequiredEntityData<Segment>): Promise<Segment> {
  const own = em.fork();
  const segment = own.create(Segment, values);
  await own.flush();
  return segment;
}
