import type { Orm } from '../../../db/orm.ts';
import type { ContactSnoozeActivities } from '../../contracts/contact-snooze.ts';
import type { AfterCommit } from '../after-commit.ts';
import { endContactSnooze } from './end-snooze.ts';

export interface ContactActivityDependencies extends AfterCommit {
  orm: Orm;
}

export function createContactActivities({
  orm,
  committed,
}: ContactActivityDependencies): ContactSnoozeActivities {
  return {
    async endSnooze({ contactId }) {
      const outcome = await endContactSnooze(orm.em.fork(), contactId, new Date());
      if (outcome.outcome === 'resubscribed') committed();
      return outcome;
    },
  };
}
