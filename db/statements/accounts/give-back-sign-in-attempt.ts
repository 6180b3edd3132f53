import { raw } from '@mikro-orm/core';
import { SignInAttempts } from '../../entities/sign-in.ts';
import type { Em } from '../../orm.ts';

/** Undoes one counted attempt. The database subtracts, because concurrent attempts change the count. */
export async function giveBackSignInAttempt(em: Em, subject: Buffer): Promise<void> {
  await em.nativeUpdate(SignInAttempts, { subject, attempts: { $gt: 0 } }, { attempts: raw('attempts - 1') });
}
