import { setTimeout as delay } from 'node:timers/promises';
import { isOverMatchLimit } from '../../../db/database-errors.ts';
import type { Em } from '../../../db/orm.ts';
import { recordHandOvers } from '../../../db/statements/emails/hand-overs.ts';
import type { ClaimOutcomes, ProjectRecord } from './claim-outcomes.ts';
import type { RenderTurns } from './render-turns.ts';
import type { SendingContext } from './sending-context.ts';

const tries = 30;
const pauseMs = 500;

/**
 * Records the outcomes of a claim, retrying for 15 seconds: after a lost outcome, the email's state depends on the
 * provider's events; without them it may be sent twice.
 */
async function retried(record: () => Promise<unknown>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await record();
      return;
    } catch (error) {
      if (tried === tries || isOverMatchLimit(error)) throw error;
      await delay(pauseMs);
    }
  }
}

/**
 * Records that would start very many executions are divided: those of each project apart, in small statements, which the
 * project makes one at a time. In one statement they took minutes, and a few of those held up the emails of all projects.
 */
async function recordDivided(
  em: Em,
  token: string,
  records: ProjectRecord[],
  turns: RenderTurns,
  isLong = false,
): Promise<void> {
  const byProject = [...Map.groupBy(records, ({ projectId }) => projectId)];
  const record = () => recordHandOvers(em.fork(), token, records);
  const [[projectId] = ['']] = byProject;
  try {
    await retried(isLong ? () => turns.runLong(projectId, record) : record);
  } catch (error) {
    if (!isOverMatchLimit(error)) throw error;
    const isOfOne = byProject.length === 1;
    const parts = isOfOne ? records : byProject.map(([, own]) => own);
    const middle = parts.length >> 1;
    const halves = [parts.slice(0, middle).flat(), parts.slice(middle).flat()];
    await Promise.all(halves.map((half) => recordDivided(em, token, half, turns, isOfOne)));
  }
}

const earlyMs = 1_000;

/**
 * Records the outcomes of a claim: once a second while its emails are handed over, so that a slow answer does not leave
 * the others in doubt if the process dies, and the rest at the end.
 *
 * @param handingOver adds to `outcomes` until it resolves
 * @param recorded called after each commit
 */
export async function recordOutcomes(
  { em, turns }: Pick<SendingContext, 'em' | 'turns'>,
  token: string,
  outcomes: ClaimOutcomes,
  handingOver: Promise<unknown>,
  recorded: () => void = () => undefined,
): Promise<void> {
  let done = 0;
  const record = async () => {
    const records = outcomes.records.slice(done);
    if (records.length === 0) return;
    await recordDivided(em, token, records, turns);
    done += records.length;
    recorded();
  };
  const over = handingOver.then(() => true);
  const isOver = () => Promise.race([over, delay(earlyMs, false, { ref: false })]);
  // Outcomes that can't be recorded now are recorded at the end.
  while (!(await isOver())) await record().catch(() => undefined);
  await record();
}
