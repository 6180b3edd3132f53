import type { Config } from '../../../core/config/schema.ts';
import type { HandOver } from '../../../providers/email/email-provider.ts';
import type { LoggedError } from '../../../runtime/logger.ts';
import type { CampaignBatchInput, SendBatchResult } from '../../contracts/campaign.ts';

/** What the thread starts with. */
export interface ThreadData {
  config: Config;
}

/** To the thread: orders, named by a number of the sender's. */
export type Order =
  | { kind: 'send'; id: number; input: CampaignBatchInput }
  | { kind: 'abort'; id: number }
  | { kind: 'end' };

export type Outcomes = Partial<Record<HandOver['outcome'] | 'suppressed', number>>;

/** From the thread. */
export type Report =
  | { kind: 'sent'; id: number; result: SendBatchResult }
  | { kind: 'failed'; id: number; error: LoggedError }
  /** Outcomes were committed, and rows for the journal's reader with them. */
  | { kind: 'recorded'; outcomes: Outcomes }
  | { kind: 'warning'; message: string; error: LoggedError | undefined };
