import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../core/new-id.ts';
import type { Em } from '../../../db/orm.ts';
import { takeSendSlots } from '../../../db/statements/emails/send-slots.ts';
import { sql as run } from '../../../db/testing/sql.ts';
import { startCampaign } from '../../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { reserveCampaignSlots } from './reserve-campaign-slots.ts';

const { em, sql } = useTestDatabase(8);
let projectId: string;
beforeEach(async () => {
  projectId = newId();
  await sql('delete from throttles');
});

/** A test during which no time passes: the clock of a transaction stands still. */
const atOneInstant = (test: (own: Em) => Promise<void>) => () => em().transactional(test);

/** Moves every bucket into the past, as if time had passed. */
const pass = (own: Em, seconds: number) =>
  run(own, 'update throttles set next_free_at = next_free_at - make_interval(secs => $1)', [seconds]);

describe('the slots of a campaign', () => {
  it('are all granted immediately without a limit', async () => {
    const slots = await reserveCampaignSlots(em(), projectId, 500, { account: null, project: null });
    expect([slots.granted, slots.inMs(0), slots.inMs(499)]).toEqual([500, 0, 0]);
  });

  it('cover at most the next second, at the pace of the slower bucket', async () => {
    const slots = await reserveCampaignSlots(em(), projectId, 500, { account: 100, project: 50 });
    // Nine tenths of 50 for the last second, which was idle, and as many for the next one.
    expect(slots.granted).toBe(90);
    expect(slots.inMs(0)).toBe(0);
    expect(slots.inMs(89)).toBeGreaterThan(900);
    const more = await reserveCampaignSlots(em(), projectId, 500, { account: 100, project: 50 });
    expect(more.granted).toBeLessThan(500);
    expect(more.retryInMs).toBeGreaterThan(0);
  });

  it(
    'leave a tenth of the rate to transactional email, which never waits behind them',
    atOneInstant(async (own) => {
      const rates = { account: 100, project: null };
      const takeAll = async () => {
        let taken = 0;
        for (;;) {
          const { granted } = await reserveCampaignSlots(own, projectId, 500, rates);
          if (granted === 0) return taken;
          taken += granted;
        }
      };
      for (let second = 0; second < 5; second += 1) {
        // The second saved by an idle bucket plus the one that may be taken ahead; then one second each.
        expect(await takeAll()).toBe(second === 0 ? 180 : 90);
        const transactional = await takeSendSlots(own, 'account', 5, 100, 5);
        expect(transactional.granted).toBe(5);
        expect(transactional.startInMs).toBeLessThanOrEqual(1_000);
        await pass(own, 1);
      }
      // After the initial burst, the bucket has free slots whenever it is checked.
      await pass(own, 5);
      await takeAll();
      await pass(own, 1.5);
      expect((await takeSendSlots(own, 'account', 5, 100, 5)).startInMs).toBeLessThanOrEqual(0);
    }),
  );
});

describe('projects that send concurrently', () => {
  const rates = { account: 100, project: null };
  const inShares = 90;

  async function projectsThatSend(count: number): Promise<string[]> {
    const projects: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const project = await insertProject(em());
      await startCampaign(em(), project);
      projects.push(project);
    }
    return projects;
  }

  /** Share of the rate for each of several projects, which ask this often per quarter of a second. */
  async function shares(
    own: Em,
    asks: readonly (readonly [projectId: string, count: number])[],
  ): Promise<number[]> {
    const got = asks.map(() => 0);
    const ticks = 40;
    for (let tick = 0; tick < ticks; tick += 1) {
      for (const [index, [project, count]] of asks.entries()) {
        for (let ask = 0; ask < count; ask += 1) {
          got[index] = (got[index] ?? 0) + (await reserveCampaignSlots(own, project, 500, rates)).granted;
        }
      }
      await pass(own, 0.25);
    }
    // Plus the second saved by an idle bucket and the one that may be taken ahead.
    const seconds = 2 + ticks / 4;
    return got.map((count) => count / seconds / inShares);
  }

  afterEach(() => sql('delete from campaigns'));

  it(
    'share the account equally, however many batches one of them runs',
    atOneInstant(async (own) => {
      const [large = '', small = ''] = await projectsThatSend(2);
      const [one = 0, other = 0] = await shares(own, [
        [large, 6],
        [small, 1],
      ]);
      expect(other / one).toBeGreaterThan(0.8);
      expect(one + other).toBeGreaterThan(0.85);
      expect(one + other).toBeLessThan(1.05);
    }),
  );

  it(
    'leave unused slots to the others',
    atOneInstant(async (own) => {
      const [busy = '', idle = ''] = await projectsThatSend(2);
      const [alone = 0] = await shares(own, [
        [busy, 3],
        [idle, 0],
      ]);
      expect(alone).toBeGreaterThan(0.85);
      expect(alone).toBeLessThan(1.05);
    }),
  );

  it.each([
    ['whose project is disabled', 'update projects set disabled = true where id = $1'],
    ['whose domain is lost', `update domains set status = 'pending' where project_id = $1`],
  ])('reserve nothing for a campaign %s', (_, pause) =>
    atOneInstant(async (own) => {
      const [sending = '', paused = ''] = await projectsThatSend(2);
      await sql(pause, [paused]);
      // The second saved by an idle bucket plus the one that may be taken ahead.
      expect((await reserveCampaignSlots(own, sending, 500, rates)).granted).toBe(2 * inShares);
    })(),
  );
});
