import { setTimeout as delay } from 'node:timers/promises';
import { findOpenEmails, type OpenEmail } from '../../db/repositories/emails/find-open-emails.ts';
import type { DispatchEmailsResult } from '../../temporal/contracts/email-batch.ts';
import type { ByteBudget } from './byte-budget.ts';
import { handOverWave, type WaveContext, type WaveOutcome } from './hand-over-wave.ts';
import { type Lot, planLots } from './plan-lots.ts';
import {
  type Permit,
  type Reservation,
  type SendRates,
  type SlotReserver,
  waitTheirTurn,
} from './reserve-slots.ts';
import { withholding } from './withholding.ts';

export interface DispatchContext extends WaveContext {
  rates: SendRates;
  reserve: SlotReserver;
  bytes: ByteBudget;
  /** Projects for which a run of this process waits for permits. */
  paced: Set<string>;
}

/** A claim of this age is of a run that died. */
const liveSeconds = 60;
/** What leaves within so many milliseconds is claimed together. */
const waveMs = 250;
/** A run asks for no more permits after this, so that it stays well within its time-out. */
const workMs = 20_000;
/** A run waits for its next permits, and holds its slot, when they come within this and so few others do. */
const [longestPauseMs, mostPaced] = [1_000, 8];

/**
 * One round of a batch: takes permits for what is due, claims what has one, hands it over at its time and records the
 * outcomes. However often and wherever it runs, only the holder of a claim hands an email over; what a dead run had
 * begun is UNKNOWN until the provider's event or the time-out settles it.
 */
export async function dispatchEmails(
  context: DispatchContext,
  emailIds: string[],
): Promise<DispatchEmailsResult> {
  const look = () => findOpenEmails(context.em, emailIds, context.unknownSeconds, liveSeconds);
  const found = await look();
  const run = createRun();

  const due: OpenEmail[] = [];
  const suppressed: string[] = [];
  for (const email of found) {
    if (email.dueInMs > 0) continue;
    const verdict = withholding(email);
    if (verdict === undefined) due.push(email);
    else if (verdict.kind === 'wait') run.waits.set(email.id, verdict.retryInMs);
    else suppressed.push(email.id);
  }
  if (suppressed.length > 0) run.note(await handOverWave(context, [], 0, 1, suppressed));
  for (const lot of planLots(due)) await sendLot(context, lot, run);

  const isOver = found.every(({ id }) => run.ended.has(id));
  const open = isOver ? [] : run.hasClaimed ? await look() : found;
  return {
    openIds: open.map(({ id }) => id),
    retryInMs: open.length === 0 ? 0 : nextLookInMs(open, run.waits),
    sent: run.sent,
    ended: emailIds.length - open.length - run.sent,
  };
}

type Run = ReturnType<typeof createRun>;

function createRun() {
  const until = Date.now() + workMs;
  const run = {
    sent: 0,
    hasClaimed: false,
    ended: new Set<string>(),
    /** How long an email has to wait for what has kept it back. */
    waits: new Map<string, number>(),
    hasTime: () => Date.now() < until,
    note({ records, waits }: WaveOutcome) {
      run.hasClaimed = true;
      for (const { emailId, status } of records) {
        if (status === 'SENT') run.sent += 1;
        if (status !== 'QUEUED' && status !== 'UNKNOWN') run.ended.add(emailId);
      }
      for (const [id, inMs] of waits) run.waits.set(id, inMs);
    },
  };
  return run;
}

/** Hands over what of a lot gets permits, and goes on while more come shortly. */
async function sendLot(context: DispatchContext, lot: Lot, run: Run): Promise<void> {
  const { em, rates, paced, signal } = context;
  let left = lot.emails;
  let pacedProject: string | undefined;

  /** Also when the run goes on: younger emails of the project have to see that these wait. */
  async function wait(reservation: Reservation): Promise<void> {
    for (const [id, inMs] of await waitTheirTurn(em, reservation, rates)) run.waits.set(id, inMs);
  }

  try {
    while (run.hasTime() && !signal.aborted) {
      const reservation = await sendPermitted(context, lot, left, run);
      const next = reservation?.held[0];
      if (reservation === undefined || next === undefined) return;
      left = reservation.held;
      const pauseMs = Math.min(...reservation.retryInMs.values());
      const mayPause = !lot.isLarge && reservation.granted.length > 0 && pauseMs <= longestPauseMs;
      if (pacedProject === undefined || !mayPause) await wait(reservation);
      if (!mayPause) return;
      if (pacedProject === undefined) {
        if (paced.has(next.projectId) || paced.size >= mostPaced) return;
        pacedProject = next.projectId;
        paced.add(pacedProject);
      }
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    // Out of time, not of permits.
    for (const { id } of left) run.waits.delete(id);
  } finally {
    if (pacedProject !== undefined) paced.delete(pacedProject);
  }
}

/** @returns undefined where there is no memory for the lot */
async function sendPermitted(
  context: DispatchContext,
  lot: Lot,
  emails: OpenEmail[],
  run: Run,
): Promise<Reservation | undefined> {
  const turn = await context.bytes.take(emails[0]?.projectId ?? '', lot);
  if ('retryInMs' in turn) {
    for (const { id } of emails) run.waits.set(id, turn.retryInMs);
    return undefined;
  }
  try {
    const reservation = await context.reserve(context.em, emails, context.rates);
    await handOverInWaves(context, reservation.granted, lot.concurrency, run);
    return reservation;
  } finally {
    turn.giveBack();
  }
}

async function handOverInWaves(
  context: DispatchContext,
  permits: readonly Permit[],
  concurrency: number,
  run: Run,
): Promise<void> {
  const grantedAt = Date.now();
  for (let from = 0; from < permits.length; ) {
    const endMs = (permits[from]?.inMs ?? 0) + waveMs;
    const after = permits.findIndex(({ inMs }, index) => index > from && inMs > endMs);
    const to = after === -1 ? permits.length : after;
    const wave = permits.slice(from, to);
    const waitMs = grantedAt + (wave[0]?.inMs ?? 0) - Date.now();
    // A claim does not begin before its time.
    if (waitMs > 0) await delay(waitMs, undefined, { signal: context.signal }).catch(() => undefined);
    if (context.signal.aborted) return;
    run.note(await handOverWave(context, wave, grantedAt, concurrency));
    from = to;
  }
}

/** Until the first of the open emails may go on. */
function nextLookInMs(open: readonly OpenEmail[], waits: ReadonlyMap<string, number>): number {
  const soonest = Math.min(...open.map(({ id, dueInMs }) => Math.max(dueInMs, waits.get(id) ?? 0)));
  return Math.ceil(Math.max(50, soonest));
}
