import type { Orm } from '../../../db/orm.ts';
import type { InboundEmailActivities } from '../../contracts/inbound-email.ts';
import type { AfterCommit } from '../after-commit.ts';
import { withHeartbeat } from '../with-heartbeat.ts';
import { giveUpInboundEmail, type InboundReader, receiveInboundEmail } from './receive-email.ts';

export interface InboundActivityDependencies extends AfterCommit {
  orm: Orm;
  inbound: InboundReader;
}

export function createInboundActivities({
  orm,
  inbound,
  committed,
}: InboundActivityDependencies): InboundEmailActivities {
  return {
    receiveInboundEmail: ({ inboundId }) =>
      withHeartbeat(async (signal) => {
        await receiveInboundEmail(orm.em.fork(), inbound, inboundId, signal);
        committed();
      }),
    async giveUpInboundEmail({ inboundId }) {
      await giveUpInboundEmail(orm.em.fork(), inboundId);
      committed();
    },
  };
}
