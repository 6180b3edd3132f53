import type { Config } from '../../../core/config/schema.ts';
import type { HandOver } from '../../../providers/email/email-provider.ts';
import type { LoggedError } from '../../../runtime/logger.ts';
import type { BatchOrder } from '../../activities/campaigns/send-batch.ts';
import type { SendBatchResult } from '../../contracts/campaign.ts';

export interface ThreadData {
  config: Config;
}

export type Order =
  | { kind: 'send'; id: number; input: BatchOrder }
  | { kind: 'abort'; id: number }
  | { kind: 'begin'; campaignId: string }
  | { kind: 'look'; campaignId: string }
  | { kind: 'take over' }
  | { kind: 'lower priority' }
  | { kind: 'end head start' }
  | { kind: 'end' };

export type Outcomes = Partial<Record<HandOver['outcome'] | 'suppressed', number>>;

export type Report =
  | { kind: 'up' }
  | { kind: 'sent'; id: number; result: SendBatchResult }
  | { kind: 'failed'; id: number; error: LoggedError }
  | { kind: 'recorded'; outcomes: Outcomes }
  | { kind: 'warning'; message: string; error: LoggedError | undefined };
