import { randomInt } from 'node:crypto';
import { type Condition, randomGroups } from '../../core/conditions/condition.ts';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { predicatesOf } from '../../core/conditions/references.ts';
import { subjectTestParts } from '../../core/conditions/subject-test.ts';
import { nameWithSuffix } from '../../core/copy-name.ts';
import { DomainError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import type { Em } from '../../db/orm.ts';
import type { SubjectTestBody } from '../schemas/campaigns.ts';
import { maxContentNameLength } from '../schemas/email-content.ts';
import { requireAudience } from './require-audience.ts';
import { audienceSegments, readReached } from './segment-conditions.ts';
import { holdSenderDomain } from './sender-domains.ts';

/**
 * Makes a draft the first of two tests of a subject, and creates the second one and the campaign to the others. In one
 * transaction: with only some of them, a contact would be in two audiences, or in none.
 */
export async function splitDraft(
  em: Em,
  draft: Campaign,
  { subject, percent }: SubjectTestBody,
): Promise<Campaign[]> {
  await requireNotRandom(em, draft);
  const { projectId } = draft;
  const { name, ...content } = draft.content();
  await holdSenderDomain(em, content.fromEmail);
  const parts = subjectTestParts(audienceGroups(draft), percent, randomInt(randomGroups));
  const drafts: Campaign[] = [];
  for (const part of parts) {
    const id = part.name === 'A' ? draft.id : newId();
    const audience = {
      audienceType: 'FILTERED' as const,
      audienceCondition: part.condition,
      segmentId: null,
    };
    await requireAudience(em, projectId, id, audience);
    const fields = {
      ...content,
      ...(part.name === 'B' && { subject }),
      ...audience,
      name: nameWithSuffix(name, ` (${part.name})`, maxContentNameLength),
    };
    const isOwn = part.name === 'A';
    drafts.push(isOwn ? em.assign(draft, fields) : em.create(Campaign, { id, projectId, ...fields }));
  }
  return drafts;
}

/** The parts of a part would have next to nobody: the random groups of a contact are the same in all tests. */
async function requireNotRandom(em: Em, draft: Campaign): Promise<void> {
  const own = draft.audienceType === 'FILTERED' ? parseCondition(draft.audienceCondition) : undefined;
  const conditions = (await readReached(em, audienceSegments(draft))).map(({ condition }) => condition);
  if (own?.ok) conditions.push(own.condition);
  if (!conditions.some(isRandom)) return;
  throw new DomainError(
    'BAD_REQUEST',
    'The audience is already a random part of the contacts, such as that of another test',
  );
}

const isRandom = (condition: Condition): boolean =>
  [...predicatesOf(condition)].some(({ subject }) => subject === 'randomGroup');

function audienceGroups({ audienceType, segmentId, audienceCondition }: Campaign): readonly unknown[] {
  switch (audienceType) {
    case 'ALL':
      return [];
    case 'SEGMENT':
      return [{ filters: [{ field: `segment.${segmentId}`, operator: 'memberOfSegment' }] }];
    case 'FILTERED': {
      // as: stored conditions are valid.
      const { logic, groups } = audienceCondition as { logic: 'AND' | 'OR'; groups: unknown[] };
      return logic === 'AND' ? groups : [{ conditions: audienceCondition }];
    }
  }
}
