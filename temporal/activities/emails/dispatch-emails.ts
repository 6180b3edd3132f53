import { withoutAddresses } from '../../../core/addresses/without-addresses.ts';
import { pause } from '../../../core/pause.ts';
import { withholding } from '../../../core/withholding.ts';
import { findOpenEmails, type OpenEmail } from '../../../db/statements/emails/find-open-emails.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import type { DispatchEmailsResult } from '../../contracts/email-batch.ts';
import type { ClaimOutcomes } from '../sending/claim-outcomes.ts';
import { crowdedRetryMs, slowEmails } from '../sending/render-turns.ts';
import type { ByteBudget } from './byte-budget.ts';
import { groupByMemory, type Lot } from './group-by-memory.ts';
import { type HandOverContext, handOverClaim } from './hand-over-claim.ts';
import { type Reservation, type SendSlot, type SlotReserver, waitTheirTurn } from './slot-reserver.ts';

export interface DispatchContext extends HandOverContext {
  rates: SendRates;
  reserve: SlotReserver;
  bytes: ByteBudget;
  /** Projects with a run that waits for send slots in its activity slot. */
  paced: Set<string>;
}

/** Emails that leave within this window are claimed together. */
const waveMs = 250;
/** A run takes no more slots after this, to stay well within its timeout. */
export const workMs = 20_000;
/** Nor does it claim after this for slots it has taken: handing over one more claim may take almost four minutes. */
const claimMs = 50_000;
/**
 * A run keeps its activity slot while it waits for send slots only if they come within `longestPauseMs` and fewer than
 * `mostPaced` runs do so already.
 */
const [longestPauseMs, mostPaced] = [1_000, 8];
/** Slots of a fast account are milliseconds apart. */
const noticeableMs = 100;

/**
 * One round of a batch: takes send slots for the emails that are due, claims those with a slot, hands each over at its
 * time and records the outcomes. Safe to retry and to run concurrently: only the holder of a claim hands an email over,
 * and an email whose run died is UNKNOWN until the provider's event or the timeout settles it.
 */
export async function dispatchEmails(
  context: DispatchContext,
  emailIds: string[],
): Promise<DispatchEmailsResult> {
  const findOpen = () => findOpenEmails(context.em, emailIds, context.unknownSeconds);
  const found = await findOpen();
  const run = createRun();

  const due: OpenEmail[] = [];
  const suppressed: string[] = [];
  for (const email of found) {
    if (email.dueInMs > 0) continue;
    const verdict = withholding(email);
    if (verdict === undefined) due.push(email);
    else if (verdict.kind === 'wait') run.wait(email.id, verdict.retryInMs, verdict.reason);
    else suppressed.push(email.id);
  }
  if (suppressed.length > 0) run.note(await handOverClaim(context, [], 0, false, suppressed));
  for (const lot of groupByMemory(admit(context, due, run))) await sendLot(context, lot, run);

  const isOver = found.every(({ id }) => run.ended.has(id));
  const open = isOver ? [] : run.hasClaimed ? await findOpen() : found;
  const isExplained = open.length > 0 && run.reason !== '';
  return {
    openIds: open.map(({ id }) => id),
    ...(isExplained && { reason: withoutAddresses(run.reason) }),
    retryInMs: open.length === 0 ? 0 : nextRetryInMs(open, run.waits),
    sent: run.sent,
    ended: emailIds.length - open.length - run.sent,
  };
}

/** Emails of a project that renders slowly are claimed a few at a time, and only if few of them wait to be rendered. */
function admit({ turns }: DispatchContext, due: readonly OpenEmail[], run: Run): OpenEmail[] {
  return [...Map.groupBy(due, ({ projectId }) => projectId)].flatMap(([projectId, emails]) => {
    if (!turns.isSlow(projectId)) return emails;
    const isCrowded = turns.isCrowded(projectId);
    const admitted = isCrowded ? 0 : slowEmails;
    for (const { id } of emails.slice(admitted)) run.waits.set(id, isCrowded ? crowdedRetryMs() : 0);
    return emails.slice(0, admitted);
  });
}

type Run = ReturnType<typeof createRun>;

function createRun() {
  const startedAt = performance.now();
  const run = {
    sent: 0,
    hasClaimed: false,
    ended: new Set<string>(),
    waits: new Map<string, number>(),
    reason: '',
    hasTime: (ms = workMs) => performance.now() < startedAt + ms,
    wait(id: string, inMs: number, reason: string) {
      run.waits.set(id, inMs);
      run.reason = reason;
    },
    note({ records, retryInMs }: ClaimOutcomes) {
      run.hasClaimed = true;
      for (const { emailId, status, reason } of records) {
        if (status === 'SENT') run.sent += 1;
        if (status !== 'QUEUED' && status !== 'UNKNOWN') run.ended.add(emailId);
        else run.reason = reason ?? run.reason;
      }
      for (const [id, inMs] of retryInMs) run.waits.set(id, inMs);
    },
  };
  return run;
}

async function sendLot(context: DispatchContext, lot: Lot, run: Run): Promise<void> {
  const { em, rates, paced, signal } = context;
  let left = lot.emails;
  let pacedProject: string | undefined;

  /** Recorded even if the run continues: younger emails of the project must queue behind these. */
  async function wait(reservation: Reservation): Promise<void> {
    for (const [id, inMs] of await waitTheirTurn(em, reservation, rates)) run.waits.set(id, inMs);
  }

  try {
    while (run.hasTime() && !signal.aborted) {
      const reservation = await sendWithSlots(context, lot, left, run);
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
      await pauseRun(context, pauseMs);
    }
    // The run is out of time, not of slots.
    for (const { id } of left) run.waits.delete(id);
  } finally {
    if (pacedProject !== undefined) paced.delete(pacedProject);
  }
}

/** @returns undefined when the memory budget has no room for the lot */
async function sendWithSlots(
  context: DispatchContext,
  lot: Lot,
  emails: OpenEmail[],
  run: Run,
): Promise<Reservation | undefined> {
  if (lot.isLarge) context.onWait();
  const turn = await context.bytes.take(emails[0]?.projectId ?? '', lot);
  if (turn.retryInMs !== undefined) {
    for (const { id } of emails) run.waits.set(id, turn.retryInMs);
    return undefined;
  }
  try {
    const reservation = await context.reserve(context.em, emails, context.rates);
    await handOverInWaves(context, reservation.granted, lot.isLarge, run);
    return reservation;
  } finally {
    turn.release();
  }
}

async function handOverInWaves(
  context: DispatchContext,
  slots: readonly SendSlot[],
  isLarge: boolean,
  run: Run,
): Promise<void> {
  const grantedAt = performance.now();
  for (let from = 0; from < slots.length; ) {
    const endMs = (slots[from]?.inMs ?? 0) + waveMs;
    const after = slots.findIndex(({ inMs }, index) => index > from && inMs > endMs);
    const to = after === -1 ? slots.length : after;
    const wave = slots.slice(from, to);
    const waitMs = grantedAt + (wave[0]?.inMs ?? 0) - performance.now();
    // A claim must not begin before its time.
    if (waitMs > 0) await pauseRun(context, waitMs);
    if (context.signal.aborted) return;
    // The first may leave at any time: large emails may have waited long for memory.
    if (from > 0 && !run.hasTime(claimMs)) return;
    run.note(await handOverClaim(context, wave, grantedAt, isLarge));
    from = to;
  }
}

async function pauseRun({ signal, onWait }: DispatchContext, ms: number): Promise<void> {
  if (ms > noticeableMs) onWait();
  await pause(ms, signal);
}

function nextRetryInMs(open: readonly OpenEmail[], waits: ReadonlyMap<string, number>): number {
  const soonest = Math.min(...open.map(({ id, dueInMs }) => Math.max(dueInMs, waits.get(id) ?? 0)));
  return Math.ceil(Math.max(50, soonest));
}
