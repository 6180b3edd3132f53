import type { FairSemaphore } from '../../../core/fair-semaphore.ts';
import type { Em, Orm } from '../../../db/orm.ts';
import type { ClaimedEmail } from '../../../db/statements/emails/claimed-email.ts';
import type { StoredContent } from '../../../db/statements/emails/load-contents.ts';
import type { Warn } from '../../../runtime/logger.ts';
import type { SendRates } from '../../../runtime/send-rates.ts';
import type { ClaimOutcomes, CountOutcome } from './claim-outcomes.ts';
import type { Lease } from './lease.ts';
import type { RecordBeginning } from './record-beginnings.ts';
import type { ClaimedRenderer } from './render-claimed.ts';
import type { RenderTurns } from './render-turns.ts';

/** What transactional emails and those of campaigns are both sent with. */
export interface SendingContext {
  em: Em;
  render: ClaimedRenderer;
  turns: RenderTurns;
  /** Places for concurrent calls of the provider. */
  calls: FairSemaphore;
  /** Undefined where the claim counts as the beginning of the hand-over. */
  begin: RecordBeginning | undefined;
  unknownSeconds: number;
  count: CountOutcome;
  warn: Warn;
}

/** What a process has for both. */
export interface SenderDependencies
  extends Pick<SendingContext, 'render' | 'unknownSeconds' | 'count' | 'warn'> {
  orm: Orm;
  rates: () => Promise<SendRates>;
}

/** The claim whose emails are handed over. */
export interface Claim {
  token: string;
  lease: Lease;
  outcomes: ClaimOutcomes;
  storedOf: (email: ClaimedEmail) => StoredContent | undefined;
}
