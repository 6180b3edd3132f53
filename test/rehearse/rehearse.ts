import { setTimeout as delay } from 'node:timers/promises';
import { withCleanUp } from '../../bench/clean-up.ts';
import { startCountingSink } from '../setup/counting-sink.ts';
import { checkEmails, watchUnknown } from './check-emails.ts';
import {
  checkClickHouse,
  checkCounters,
  checkExecutions,
  checkImports,
  checkTracked,
} from './check-records.ts';
import { createRandom, faultsOf } from './faults.ts';
import { compare, type Finding } from './findings.ts';
import { type LoadSize, prepareLoad } from './load.ts';
import { settle } from './settle.ts';
import { type Stage, startStage } from './stage.ts';
import type { TemporalPrograms } from './temporal-programs.ts';

export interface Rehearsal extends LoadSize {
  seed: number;
  /** Seconds from one fault to the next. A process that one killed may still be starting then. */
  faultEverySeconds: number;
  /** Programs of the deployed Temporal server; without them, the development server is used. */
  temporalPrograms?: TemporalPrograms | undefined;
  say: (line: string) => void;
}

export interface Outcome {
  findings: Finding[];
  /** How many faults there were, and how many while the campaign was being sent. */
  faults: number;
  faultsInCampaign: number;
}

/**
 * Runs the product as on several machines under load of all kinds, breaks one part after the other, waits until no work
 * is in progress, and compares what was accepted with what exists. Every fault happens at least once, so a slow machine
 * takes longer than `seconds`.
 */
export function rehearse(rehearsal: Rehearsal): Promise<Outcome> {
  return withCleanUp(async (cleanUp) => {
    const startedAt = performance.now();
    const say = (line: string) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      rehearsal.say(`[${seconds.padStart(7)} s] ${line}`);
    };
    // Some webhook calls first get no answer or a 503, and are retried.
    const sink = await startCountingSink((body, before) => {
      const { n } = JSON.parse(body);
      if (before === 0 && n % 25 === 3) return 'reset';
      return { status: before === 0 && n % 25 === 7 ? 503 : 200, afterMs: n % 50 };
    });
    cleanUp(async () => sink.close());
    const stage = await startStage(environmentOf(rehearsal), rehearsal.temporalPrograms, cleanUp);
    say(
      `3 API processes, 3 workers, Postgres with 65 connections, Temporal (${stage.temporal.name}), ClickHouse`,
    );
    await watchUnknown(stage);
    const load = await prepareLoad(stage, rehearsal, sink);
    const { faults, faultsInCampaign } = await breakUnderLoad(rehearsal, stage, load, say);
    say('Load and faults have ended; waiting until no work is in progress');
    const rest = await settle(stage, (left) => say(`left: ${presentRest(left)}`));
    const findings = [
      ...(await checkEmails(stage, load.ledger)),
      ...(await checkTracked(stage, load.ledger)),
      ...(await checkExecutions(stage, load.ledger, sink)),
      ...(await checkImports(stage, load.ledger)),
      ...(await checkCounters(stage, load.ledger)),
      ...(await checkClickHouse(stage)),
      ...Object.entries(rest)
        .filter(([, count]) => count > 0)
        .map(([what, count]) => compare(`never settled: ${what}`, 0, count)),
    ];
    for (const end of [...stage.apis, ...stage.workers, stage.temporal].flatMap(
      ({ unexpectedExits }) => unexpectedExits,
    )) {
      say(`exited unexpectedly and was restarted: ${end}`);
    }
    say('Compared');
    return { findings, faults, faultsInCampaign };
  });
}

/** The send rate makes the campaign last as long as the faults, however fast the machine is. */
function environmentOf({
  recipients,
  executions,
  seconds,
  emailsPerSecond,
}: LoadSize): Record<string, string> {
  const rate = (recipients + executions) / seconds + emailsPerSecond;
  return { EMAIL_RATE_PER_SECOND: String(Math.ceil(rate)), UNKNOWN_OUTCOME_SECONDS: '20' };
}

const presentRest = (rest: object) =>
  Object.entries(rest)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');

async function breakUnderLoad(
  rehearsal: Rehearsal,
  stage: Stage,
  load: Awaited<ReturnType<typeof prepareLoad>>,
  say: (line: string) => void,
): Promise<Omit<Outcome, 'findings'>> {
  const random = createRandom(rehearsal.seed);
  const deadline = performance.now() + rehearsal.seconds * 1_000;
  const counts = { faults: 0, faultsInCampaign: 0 };
  let isOver = false;
  async function breakInTurn(): Promise<void> {
    let isFirstTurn = true;
    while (isFirstTurn || performance.now() < deadline) {
      for (const fault of faultsOf(stage, random)) {
        await Promise.all(fault.members.map((member) => member.untilReady()));
        if (isOver || (!isFirstTurn && performance.now() >= deadline)) return;
        const left = await messagesAt(stage);
        say(`${fault.name} (${left.toLocaleString('en-US')} emails have left)`);
        counts.faults += 1;
        if (left < rehearsal.recipients) counts.faultsInCampaign += 1;
        // Randomized, so that it is not in step with periodic work.
        const next = delay(rehearsal.faultEverySeconds * 1_000 * (0.8 + random() * 0.4));
        await fault.run();
        await next;
      }
      isFirstTurn = false;
    }
  }
  const breaking = breakInTurn().finally(() => {
    isOver = true;
  });
  const loading = load
    .run(() => isOver)
    .finally(() => {
      isOver = true;
    });
  // Wait until the faults have ended before closing anything, because they restart what they stopped.
  for (const end of await Promise.allSettled([loading, breaking])) {
    if (end.status === 'rejected') throw end.reason;
  }
  return counts;
}

async function messagesAt({ ses }: Stage): Promise<number> {
  const answer = await fetch(`${ses.url}/health`);
  // as: the local SES is ours and has its own tests.
  return ((await answer.json()) as { messages: number }).messages;
}
