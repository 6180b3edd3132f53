import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { noEvidence, type SendEventEvidence } from '../../../db/statements/campaigns/send-event-evidence.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { createEvidenceReader } from './evidence-reader.ts';

function createStage() {
  const reads: PromiseWithResolvers<SendEventEvidence>[] = [];
  const find = createEvidenceReader(() => {
    const read = Promise.withResolvers<SendEventEvidence>();
    reads.push(read);
    return read.promise;
  });
  return { reads, find };
}

it('attempts that begin while a campaign is being read share the statement; other campaigns have their own', async () => {
  const { reads, find } = createStage();
  const attempts = [find('one'), find('one'), find('other')];
  expect(reads).toHaveLength(2);
  for (const read of reads) read.resolve(noEvidence);
  expect(await Promise.all(attempts)).toEqual([noEvidence, noEvidence, noEvidence]);
});

it('an attempt that begins soon after a long read uses its result; later ones read again', async () => {
  const { reads, find } = createStage();
  const first = find('one');
  await delay(1_000);
  reads[0]?.resolve(noEvidence);
  await first;
  expect(await find('one')).toBe(noEvidence);
  expect(reads).toHaveLength(1);
  await eventually(async () => {
    find('one').catch(() => undefined);
    return reads.length;
  }, 2);
});

it('a failed read is not kept', async () => {
  const { reads, find } = createStage();
  const first = find('one');
  reads[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  find('one').catch(() => undefined);
  expect(reads).toHaveLength(2);
});
