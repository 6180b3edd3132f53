import type { MailedPurpose } from '../crypto/one-time-token.ts';

export const linkValidHours: Readonly<Record<MailedPurpose, number>> = {
  'verify-email': 24,
  'reset-password': 1,
  invitation: 7 * 24,
};

/** Validity of a link that signs in, which its receiver opens at once. */
export const signInLinkMinutes = 15;

export const linksPerHour = 5;

/** How long a requested link may be late: as long as the link of a password reset is valid. */
export const linkWaitMinutes = 60;

/** Invitations emailed per clock hour: to one address, and by one user across projects. */
export const invitationsPerHour = { toAddress: 5, byUser: 20 } as const;

/** Projects of others that a person may be added to without being asked. Keeps the person's list of projects short. */
export const joinedProjectsPerUser = 500;

export const signInWindowMinutes = 15;

export const sessionDays = 30;

export const oauthAttemptMinutes = 10;
